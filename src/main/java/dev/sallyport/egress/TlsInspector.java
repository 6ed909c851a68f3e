package dev.sallyport.egress;

import dev.sallyport.config.Limits;
import dev.sallyport.credential.Authority;
import dev.sallyport.http.ConnectionTerms;
import dev.sallyport.http.Spare;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.Refusal;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.util.Optional;

/// Plays the inspected hosts towards one sandbox: TLS with a certificate of the sandbox's own
/// authority, and within it HTTP/1.1 or HTTP/2.
public final class TlsInspector implements Inspector {
    private final Optional<ServerContexts> contexts;
    private final ConnectionTerms terms;
    private final WebDoors doors;
    private final Limits limits;

    /// @param authority without one every connection is refused
    /// @param terms of the session, with whatever door
    public TlsInspector(
            Optional<Authority> authority, ConnectionTerms terms, WebDoors doors, Limits limits) {
        this.contexts = authority.map(ServerContexts::new);
        this.terms = terms;
        this.doors = doors;
        this.limits = limits;
    }

    @Override
    public void take(Channel channel, EgressPermit permit, ByteBuf firstBytes) {
        if (contexts.isEmpty() || permit.inspection().isEmpty()) {
            firstBytes.release();
            terms.log().refused(Refusal.INTERNAL);
            var _ = channel.close();
            return;
        }
        WebDoors.Connection door = doors.open(permit, true);
        channel.closeFuture().addListener(_ -> door.close());
        Spare.mark(channel, false);
        ConnectionTerms judged = terms.withDoor(door);
        ServerHello hello = new ServerHello(contexts.get(), permit, judged.log(), limits);
        channel.pipeline()
                .addLast("tls", hello)
                .addLast("inspected", new InspectedConnection(judged));
        hello.begin(channel.pipeline().context(hello), firstBytes);
    }

    /// The session is over. Connections that are open still end in their own time.
    @Override
    public void close() {
        contexts.ifPresent(ServerContexts::close);
    }
}

package dev.sallyport.gateway;

import dev.sallyport.audit.Recorder;
import dev.sallyport.egress.EgressTerms;
import dev.sallyport.egress.WebDoors;
import dev.sallyport.http.ConnectionTerms;
import dev.sallyport.http.Door;
import dev.sallyport.http.HeadForm;
import dev.sallyport.http.RequestConnection;
import dev.sallyport.policy.Decision;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.Refusal;
import dev.sallyport.session.NameTable;
import dev.sallyport.upstream.ReadTurns;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import java.net.InetAddress;

/// A connection to port 80 of a sandbox. The address that was dialled decides what it talks to: the
/// front door on 127.0.0.1, the host that the address stands for on all others.
final class FrontPipeline extends ChannelInitializer<Channel> {
    private static final int HTTP_PORT = 80;
    private static final InetAddress FRONT = InetAddress.ofLiteral("127.0.0.1");

    private final ConnectionTerms front;
    private final EgressTerms elsewhere;
    private final NameTable names;
    private final Recorder recorder;

    /// @param front with the door of 127.0.0.1
    /// @param elsewhere for the hosts that addresses stand for
    FrontPipeline(
            ConnectionTerms front, EgressTerms elsewhere, NameTable names, Recorder recorder) {
        this.front = front;
        this.elsewhere = elsewhere;
        this.names = names;
        this.recorder = recorder;
    }

    @Override
    protected void initChannel(Channel channel) {
        channel.pipeline().addLast("turns", new ReadTurns(front.session().get().id()));
        if (FRONT.equals(MeantHost.address(channel))) {
            serve(channel, front.door(), HeadForm.FRONT);
        } else {
            serveHost(channel, HTTP_PORT);
        }
    }

    /// The host that the dialled address stands for.
    ///
    /// @param port that was dialled
    void serveHost(Channel channel, int port) {
        Policy policy = elsewhere.session().get().policy();
        Decision<EgressPermit> decision =
                MeantHost.of(channel, names, policy)
                        .map(host -> policy.decide(host, port))
                        .orElseGet(() -> new Decision.Deny<>(Refusal.NAME_NOT_ALLOWED));
        switch (decision) {
            case Decision.Deny<EgressPermit>(Refusal refusal) ->
                    serve(channel, new RefusingDoor(refusal, recorder), HeadForm.FRONT);
            case Decision.Allow<EgressPermit>(EgressPermit permit) -> {
                WebDoors.Connection door = elsewhere.webDoors().open(permit, false);
                channel.closeFuture().addListener(_ -> door.close());
                serve(channel, door, HeadForm.WEB);
            }
        }
    }

    private void serve(Channel channel, Door door, HeadForm form) {
        RequestConnection.addTo(channel.pipeline(), front.withDoor(door), form);
    }
}

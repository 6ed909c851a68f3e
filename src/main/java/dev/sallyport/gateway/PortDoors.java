package dev.sallyport.gateway;

import dev.sallyport.channel.Message;
import dev.sallyport.ingress.PublishedPorts;
import dev.sallyport.policy.SessionId;
import io.netty.channel.ChannelFuture;
import io.netty.channel.unix.FileDescriptor;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The listeners of one session that come and go: for listed ports of hosts, inside the sandbox,
/// and for published ports, on the host. Used on the channel's event loop only.
final class PortDoors {
    private final SessionSockets session;
    private final PublishedPorts.Server server;
    private final Map<Message.Outward, ChannelFuture> outward = new HashMap<>();
    private final PublishedPorts inward;

    /// @param wanted asks the warden for sockets
    PortDoors(
            SessionSockets session, Shared shared, PublishedPorts.Server server, Runnable wanted) {
        SessionId id = session.session().id();
        this.session = session;
        this.server = server;
        this.inward =
                new PublishedPorts(
                        id,
                        server,
                        wanted,
                        traffic -> {
                            var _ = shared.recorder().record(traffic.event(id));
                        });
    }

    /// These and no others. What is served already goes on.
    void change(Message.Ports ports, List<FileDescriptor> descriptors) {
        int listed = ports.outward().size();
        for (int i = 0; i < listed; i++) {
            Message.Outward port = ports.outward().get(i);
            if (outward.containsKey(port)) {
                Sessions.discard(descriptors.get(i));
            } else {
                outward.put(port, server.serve(descriptors.get(i), session.port(port.port())));
            }
        }
        closeOthers(Set.copyOf(ports.outward()));
        inward.change(ports.inward(), descriptors.subList(listed, descriptors.size()));
    }

    private void closeOthers(Set<Message.Outward> listed) {
        outward.entrySet()
                .removeIf(
                        port -> {
                            boolean gone = !listed.contains(port.getKey());
                            if (gone) {
                                var _ = port.getValue().channel().close();
                            }
                            return gone;
                        });
    }

    void supply(List<FileDescriptor> sockets) {
        inward.supply(sockets);
    }

    void close() {
        closeOthers(Set.of());
        inward.close();
    }
}

package dev.sallyport.gateway;

import dev.sallyport.channel.Message;
import dev.sallyport.ingress.InwardConnection;
import dev.sallyport.ingress.PortUse;
import dev.sallyport.ingress.SocketPool;
import dev.sallyport.upstream.ReadTurns;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.unix.FileDescriptor;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The listeners of one session that come and go: for listed ports of hosts, inside the sandbox,
/// and for published ports, on the host. Used on the channel's event loop only.
final class PortDoors {
    /// Serves a listener; takes ownership of the descriptor.
    interface Server {
        ChannelFuture serve(FileDescriptor descriptor, ChannelHandler pipeline);
    }

    private final SessionSockets session;
    private final Shared shared;
    private final Server server;
    private final SocketPool pool;
    private final Map<Message.Outward, ChannelFuture> outward = new HashMap<>();
    private final Map<Message.Inward, Published> inward = new HashMap<>();

    private record Published(ChannelFuture listener, ChannelGroup connections, PortUse use) {
        void close() {
            var _ = listener.channel().close();
            var _ = connections.close();
            use.tell();
        }
    }

    /// @param wanted asks the warden for sockets
    PortDoors(SessionSockets session, Shared shared, Server server, Runnable wanted) {
        this.session = session;
        this.shared = shared;
        this.server = server;
        this.pool = new SocketPool(wanted);
    }

    /// These and no others. What is served already goes on.
    void change(Message.Ports ports, List<FileDescriptor> descriptors) {
        List<FileDescriptor> left = new ArrayList<>(descriptors);
        for (Message.Outward port : ports.outward()) {
            FileDescriptor descriptor = left.removeFirst();
            if (outward.containsKey(port)) {
                Sessions.discard(descriptor);
            } else {
                outward.put(port, server.serve(descriptor, session.port(port.port())));
            }
        }
        for (Message.Inward port : ports.inward()) {
            FileDescriptor descriptor = left.removeFirst();
            if (inward.containsKey(port)) {
                Sessions.discard(descriptor);
            } else {
                inward.put(port, publish(port, descriptor));
            }
        }
        closeOthers(Set.copyOf(ports.outward()), Set.copyOf(ports.inward()));
        if (!inward.isEmpty()) {
            pool.begin();
        }
    }

    private Published publish(Message.Inward port, FileDescriptor descriptor) {
        ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
        PortUse use =
                new PortUse(
                        session.session().id(),
                        port.hostPort(),
                        port.insidePort(),
                        shared.recorder());
        ChannelHandler pipeline =
                new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        connections.add(channel);
                        channel.pipeline()
                                .addLast("turns", new ReadTurns(session.session().id()))
                                .addLast(
                                        "inward",
                                        new InwardConnection(session::session, pool, use));
                    }
                };
        return new Published(server.serve(descriptor, pipeline), connections, use);
    }

    private void closeOthers(Set<Message.Outward> listed, Set<Message.Inward> published) {
        outward.entrySet()
                .removeIf(
                        port -> {
                            boolean gone = !listed.contains(port.getKey());
                            if (gone) {
                                var _ = port.getValue().channel().close();
                            }
                            return gone;
                        });
        inward.entrySet()
                .removeIf(
                        port -> {
                            boolean gone = !published.contains(port.getKey());
                            if (gone) {
                                port.getValue().close();
                            }
                            return gone;
                        });
    }

    void supply(List<FileDescriptor> sockets) {
        pool.add(sockets);
    }

    void close() {
        closeOthers(Set.of(), Set.of());
        pool.close();
    }
}

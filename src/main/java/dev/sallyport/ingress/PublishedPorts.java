package dev.sallyport.ingress;

import dev.sallyport.channel.Message;
import dev.sallyport.policy.SessionId;
import dev.sallyport.session.PortTraffic;
import dev.sallyport.upstream.ReadTurns;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.unix.FileDescriptor;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/// The published ports of one session: listeners of the host that come and go, and the sockets
/// through which their connections get inside. Used on the channel's event loop only.
public final class PublishedPorts {
    /// Serves a listener; takes ownership of the descriptor.
    public interface Server {
        ChannelFuture serve(FileDescriptor descriptor, ChannelHandler pipeline);
    }

    private final SessionId session;
    private final Server server;
    private final SocketPool pool;
    private final Consumer<PortTraffic> record;
    private final Map<Message.Inward, Published> open = new HashMap<>();

    private record Published(ChannelFuture listener, ChannelGroup connections, PortUse use) {
        void close() {
            var _ = listener.channel().close();
            var _ = connections.close();
            use.tell();
        }
    }

    /// @param wanted asks the warden for sockets
    /// @param record has written down what passes
    public PublishedPorts(
            SessionId session, Server server, Runnable wanted, Consumer<PortTraffic> record) {
        this.session = session;
        this.server = server;
        this.pool = new SocketPool(wanted);
        this.record = record;
    }

    /// These and no others. What is served already goes on.
    ///
    /// @param descriptors one for each; ownership passes
    public void change(List<Message.Inward> ports, List<FileDescriptor> descriptors) {
        for (int i = 0; i < ports.size(); i++) {
            Message.Inward port = ports.get(i);
            if (open.containsKey(port)) {
                SocketPool.discard(descriptors.get(i));
            } else {
                open.put(port, publish(port, descriptors.get(i)));
            }
        }
        closeOthers(Set.copyOf(ports));
        if (!open.isEmpty()) {
            pool.begin();
        }
    }

    private Published publish(Message.Inward port, FileDescriptor descriptor) {
        ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
        PortUse use = new PortUse(session, port.hostPort(), port.insidePort(), record);
        ChannelHandler pipeline =
                new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        connections.add(channel);
                        channel.pipeline()
                                .addLast("turns", new ReadTurns(session))
                                .addLast("inward", new InwardConnection(pool, use));
                    }
                };
        return new Published(server.serve(descriptor, pipeline), connections, use);
    }

    private void closeOthers(Set<Message.Inward> published) {
        open.entrySet()
                .removeIf(
                        port -> {
                            boolean gone = !published.contains(port.getKey());
                            if (gone) {
                                port.getValue().close();
                            }
                            return gone;
                        });
    }

    /// Sockets of the sandbox's; ownership passes.
    public void supply(List<FileDescriptor> sockets) {
        pool.add(sockets);
    }

    public void close() {
        closeOthers(Set.of());
        pool.close();
    }
}

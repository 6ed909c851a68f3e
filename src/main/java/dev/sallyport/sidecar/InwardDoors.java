package dev.sallyport.sidecar;

import dev.sallyport.carry.Dialler;
import dev.sallyport.channel.Message;
import dev.sallyport.config.Limits;
import dev.sallyport.http.ConnectionGate;
import dev.sallyport.http.ConnectionShare;
import dev.sallyport.http.ConnectionTotal;
import dev.sallyport.ingress.PublishedPorts;
import dev.sallyport.policy.SessionId;
import dev.sallyport.session.PortTraffic;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.unix.FileDescriptor;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The ports of this machine that a person has published for the sandbox (ADR 28). What passes
/// through them stays on this machine, and has a share of connections of its own: whoever connects
/// here takes no place from what is carried.
///
/// Most sandboxes publish nothing, so what serves a port is made, and loaded, with the first one.
final class InwardDoors {
    /// What they hold when nobody reads fits into the memory of this process.
    static final int CONNECTIONS_MAX = 256;

    private final String session;
    private final EventLoopGroup loop;
    private final Consumer<Message> warden;
    private final Supplier<Limits.Sharing> limits;
    private @Nullable PublishedPorts published;

    /// @param limits asked when there is a first port
    InwardDoors(
            String session,
            EventLoopGroup loop,
            Consumer<Message> warden,
            Supplier<Limits.Sharing> limits) {
        this.session = session;
        this.loop = loop;
        this.warden = warden;
        this.limits = limits;
    }

    /// These and no others.
    ///
    /// @param descriptors one for each; ownership passes
    void change(List<Message.Inward> ports, List<FileDescriptor> descriptors) {
        PublishedPorts known = published;
        if (known == null && ports.isEmpty()) {
            return;
        }
        if (known == null) {
            known = open(limits.get());
            published = known;
        }
        known.change(ports, descriptors);
    }

    static int connectionsMax(Limits.Sharing most) {
        return Math.min(most.connectionsPerSandboxMax(), CONNECTIONS_MAX);
    }

    private PublishedPorts open(Limits.Sharing most) {
        int connectionsMax = connectionsMax(most);
        ConnectionShare share =
                new ConnectionShare(
                        new ConnectionShare.Caps(
                                connectionsMax, most.requestsPerSecondPerSandboxMax()));
        ConnectionTotal total = new ConnectionTotal(connectionsMax);
        return new PublishedPorts(
                new SessionId(session),
                (descriptor, pipeline) ->
                        serve(descriptor, new ConnectionGate(share, total), pipeline),
                () -> warden.accept(new Message.SocketsWanted(session)),
                this::used);
    }

    private ChannelFuture serve(
            FileDescriptor descriptor, ConnectionGate gate, ChannelHandler pipeline) {
        return new ServerBootstrap()
                .group(loop)
                .channelFactory(() -> new EpollServerSocketChannel(descriptor.intValue()))
                .handler(gate)
                .childOption(ChannelOption.AUTO_READ, false)
                .childHandler(pipeline)
                .register();
    }

    private void used(PortTraffic traffic) {
        warden.accept(
                new Message.PortUsed(
                        session,
                        traffic.hostPort(),
                        traffic.insidePort(),
                        traffic.connections(),
                        traffic.bytesIn(),
                        traffic.bytesOut()));
    }

    /// Tells what has not been told yet, and whether there was anything to close.
    boolean close() {
        PublishedPorts known = published;
        if (known != null) {
            known.close();
        }
        return known != null;
    }

    /// Sockets of the sandbox's, if they are wanted; ownership passes.
    void supply(List<FileDescriptor> sockets) {
        PublishedPorts known = published;
        if (known == null) {
            sockets.forEach(Dialler::discard);
        } else {
            known.supply(sockets);
        }
    }
}

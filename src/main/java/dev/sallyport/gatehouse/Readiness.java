package dev.sallyport.gatehouse;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.EpollDomainDatagramChannel;
import io.netty.channel.unix.DomainSocketAddress;
import java.nio.charset.StandardCharsets;

/// Tells a service manager that we serve (`Type=notify`), so that whoever starts the service can
/// use it at once, and learns when it does not start.
final class Readiness {
    private static final System.Logger LOG = System.getLogger(Readiness.class.getName());

    private Readiness() {}

    /// Waits for nothing: others may write to the same socket, and fill it.
    ///
    /// @param socket what `NOTIFY_SOCKET` says; empty when nobody wants to know
    static void tell(EventLoopGroup loops, String socket) {
        if (socket.isEmpty()) {
            return;
        }
        String address = socket.startsWith("@") ? '\0' + socket.substring(1) : socket;
        new Bootstrap()
                .group(loops)
                .channel(EpollDomainDatagramChannel.class)
                .handler(new ChannelInboundHandlerAdapter())
                .connect(new DomainSocketAddress(address))
                .addListener((ChannelFutureListener) Readiness::say);
    }

    private static void say(ChannelFuture connected) {
        if (!connected.isSuccess()) {
            LOG.log(System.Logger.Level.ERROR, "nobody learns that we serve", connected.cause());
            return;
        }
        connected
                .channel()
                .writeAndFlush(Unpooled.copiedBuffer("READY=1", StandardCharsets.US_ASCII))
                .addListener(ChannelFutureListener.CLOSE);
    }
}

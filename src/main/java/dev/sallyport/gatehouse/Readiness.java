package dev.sallyport.gatehouse;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.EpollDomainDatagramChannel;
import io.netty.channel.unix.DomainSocketAddress;
import java.nio.charset.StandardCharsets;

/// Tells a service manager that we serve (`Type=notify`), so that whoever starts the service can
/// use it at once, and learns when it does not start.
final class Readiness {
    private Readiness() {}

    /// @param socket what `NOTIFY_SOCKET` says; empty when nobody wants to know
    static void tell(EventLoopGroup loops, String socket) {
        if (socket.isEmpty()) {
            return;
        }
        String address = socket.startsWith("@") ? '\0' + socket.substring(1) : socket;
        Channel channel =
                new Bootstrap()
                        .group(loops)
                        .channel(EpollDomainDatagramChannel.class)
                        .handler(new ChannelInboundHandlerAdapter())
                        .connect(new DomainSocketAddress(address))
                        .syncUninterruptibly()
                        .channel();
        channel.writeAndFlush(Unpooled.copiedBuffer("READY=1", StandardCharsets.US_ASCII))
                .syncUninterruptibly();
        channel.close().syncUninterruptibly();
    }
}

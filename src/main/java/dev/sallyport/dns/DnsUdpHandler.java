package dev.sallyport.dns;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.DatagramPacket;
import java.util.concurrent.TimeUnit;

/// One answer per datagram. A sandbox that asks too fast is not read from for a moment: its
/// datagrams fill its own socket and the kernel drops the rest, at no cost to others.
public final class DnsUdpHandler extends SimpleChannelInboundHandler<DatagramPacket> {
    private static final long PAUSE_MILLIS = 100;

    private final DnsAnswers answers;
    private final DnsRate rate;

    public DnsUdpHandler(DnsAnswers answers, DnsRate rate) {
        this.answers = answers;
        this.rate = rate;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, DatagramPacket packet) {
        if (!rate.admits()) {
            pause(ctx);
            return;
        }
        answers.answer(packet.content(), ctx.alloc())
                .ifPresent(
                        reply -> {
                            var _ = ctx.writeAndFlush(new DatagramPacket(reply, packet.sender()));
                        });
    }

    private static void pause(ChannelHandlerContext ctx) {
        if (ctx.channel().config().isAutoRead()) {
            ctx.channel().config().setAutoRead(false);
            var _ =
                    ctx.executor()
                            .schedule(
                                    () -> ctx.channel().config().setAutoRead(true),
                                    PAUSE_MILLIS,
                                    TimeUnit.MILLISECONDS);
        }
    }

    /// One datagram that cannot be sent or read says nothing about the next.
    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        System.getLogger(DnsUdpHandler.class.getName())
                .log(System.Logger.Level.DEBUG, "a datagram failed", cause);
    }
}

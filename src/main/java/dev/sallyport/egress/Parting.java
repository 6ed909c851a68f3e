package dev.sallyport.egress;

import dev.sallyport.policy.Refusal;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DuplexChannel;
import java.util.concurrent.TimeUnit;

/// Says an alert and hangs up. What the sandbox still sends is thrown away for a moment: closing
/// with unread bytes would reset the connection and could destroy the alert on its way.
final class Parting extends ChannelInboundHandlerAdapter {
    private static final int SECONDS_MAX = 2;
    private static final long DISCARD_BYTES_MAX = 1L << 20;

    private final TlsAlert alert;
    private long discardable = DISCARD_BYTES_MAX;

    private Parting(TlsAlert alert) {
        this.alert = alert;
    }

    /// Nobody else has a handler in the pipeline any more.
    static void from(Channel channel, Refusal refusal) {
        channel.pipeline().addLast("parting", new Parting(TlsAlert.of(refusal)));
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        Runnable hangUp =
                () -> {
                    var _ = ctx.close();
                };
        var timeout = ctx.executor().schedule(hangUp, SECONDS_MAX, TimeUnit.SECONDS);
        ctx.channel().closeFuture().addListener(_ -> timeout.cancel(false));
        ctx.writeAndFlush(alert.bytes()).addListener((ChannelFuture said) -> said(ctx, said));
    }

    private static void said(ChannelHandlerContext ctx, ChannelFuture said) {
        if (said.isSuccess() && ctx.channel() instanceof DuplexChannel duplex) {
            var _ = duplex.shutdownOutput();
            ctx.read();
        } else {
            var _ = ctx.close();
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        discardable -= bytes.readableBytes();
        bytes.release();
        if (discardable < 0) {
            var _ = ctx.close();
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        ctx.read();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        var _ = ctx.close();
    }
}

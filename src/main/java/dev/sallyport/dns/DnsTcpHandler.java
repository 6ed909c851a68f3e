package dev.sallyport.dns;

import dev.sallyport.config.Limits;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.util.concurrent.Future;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// One answer per frame, on a connection that has to complete a question within the idle limit,
/// however the bytes are spread. A message that deserves no answer ends it.
public final class DnsTcpHandler extends SimpleChannelInboundHandler<ByteBuf> {
    private final DnsAnswers answers;
    private final DnsRate rate;
    private final Limits.Dns limits;
    private @Nullable Future<?> deadline;

    public DnsTcpHandler(DnsAnswers answers, DnsRate rate, Limits.Dns limits) {
        this.answers = answers;
        this.rate = rate;
        this.limits = limits;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        startDeadline(ctx);
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, ByteBuf message) {
        Optional<ByteBuf> reply =
                rate.admits() ? answers.answer(message, ctx.alloc()) : Optional.empty();
        if (reply.isEmpty()) {
            var _ = ctx.close();
            return;
        }
        ByteBuf length = ctx.alloc().buffer(2).writeShort(reply.get().readableBytes());
        var _ = ctx.write(length);
        var _ = ctx.writeAndFlush(reply.get());
        startDeadline(ctx);
    }

    /// Answers that the sandbox does not take stop the questions.
    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        ctx.channel().config().setAutoRead(ctx.channel().isWritable());
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        var _ = ctx.close();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        stopDeadline();
    }

    private void startDeadline(ChannelHandlerContext ctx) {
        stopDeadline();
        Runnable end =
                () -> {
                    var _ = ctx.close();
                };
        deadline = ctx.executor().schedule(end, limits.tcpIdleSecondsMax(), TimeUnit.SECONDS);
    }

    private void stopDeadline() {
        Future<?> running = deadline;
        if (running != null) {
            running.cancel(false);
        }
    }
}

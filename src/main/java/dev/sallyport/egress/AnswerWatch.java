package dev.sallyport.egress;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/// Looks at the first bytes of a host while they pass, and leaves.
final class AnswerWatch extends ChannelInboundHandlerAdapter {
    private final TlsTunnel tunnel;
    private final ByteBuf seen = Unpooled.buffer(ServerAnswer.BYTES, ServerAnswer.BYTES);

    AnswerWatch(TlsTunnel tunnel) {
        this.tunnel = tunnel;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        int missing = Math.min(seen.writableBytes(), bytes.readableBytes());
        seen.writeBytes(bytes, bytes.readerIndex(), missing);
        ServerAnswer answer = ServerAnswer.of(seen);
        ctx.fireChannelRead(bytes);
        if (answer != ServerAnswer.NEED_MORE && !ctx.isRemoved()) {
            ctx.pipeline().remove(this);
            tunnel.answered(answer);
        }
    }
}

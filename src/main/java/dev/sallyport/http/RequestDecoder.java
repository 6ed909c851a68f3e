package dev.sallyport.http;

import dev.sallyport.config.Limits;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Our own strict HTTP/1.1 request decoder: bytes in, [Inbound] out.
///
/// It is driven by demand. While the connection wants nothing, because an answer is owed or a door
/// has paused, nothing is decoded, and no more than one read is taken from the socket: what a
/// sandbox pipelines stays in its own send buffer. That one read is asked for ahead of time, since
/// to tell the kernel with each request that nothing is wanted, and then that something is, costs
/// two system calls.
final class RequestDecoder extends ChannelInboundHandlerAdapter {
    private DecodeState state;
    private ByteBuf buffered = Unpooled.EMPTY_BUFFER;
    private @Nullable ChannelHandlerContext context;
    private boolean wanted;
    private boolean decoding;

    RequestDecoder(Limits.Http limits, HeadForm form) {
        this.state = DecodeState.InHead.first(new DecodeTerms(limits, form));
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
    }

    /// Says whether the connection can take another item now.
    void demand(boolean wanted) {
        this.wanted = wanted;
        if (wanted && !decoding) {
            decode();
        }
    }

    /// From here on everything that arrives is thrown away.
    void swallow() {
        state = new DecodeState.Broken();
    }

    /// Takes what has arrived and was not decoded; ownership passes.
    ByteBuf takeUnread() {
        ByteBuf unread = buffered;
        buffered = Unpooled.EMPTY_BUFFER;
        return unread;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf arrived = (ByteBuf) message;
        buffered =
                buffered.isReadable()
                        ? ByteToMessageDecoder.MERGE_CUMULATOR.cumulate(
                                ctx.alloc(), buffered, arrived)
                        : replaced(arrived);
        if (wanted && !decoding) {
            decode();
        }
    }

    private ByteBuf replaced(ByteBuf arrived) {
        buffered.release();
        return arrived;
    }

    private void decode() {
        ChannelHandlerContext ctx = context;
        if (ctx == null || ctx.isRemoved()) {
            return;
        }
        decoding = true;
        try {
            boolean starved = false;
            while (wanted && !starved) {
                Optional<DecodeState.Step> step = state.step(buffered);
                starved = step.isEmpty();
                step.ifPresent(s -> advance(ctx, s));
            }
            letGoOfReadBytes();
            if (starved || !buffered.isReadable()) {
                ctx.read();
            }
        } finally {
            decoding = false;
        }
    }

    /// A connection that waits, for the sandbox or for a door, holds no buffer.
    private void letGoOfReadBytes() {
        if (!buffered.isReadable()) {
            buffered.release();
            buffered = Unpooled.EMPTY_BUFFER;
        }
    }

    private void advance(ChannelHandlerContext ctx, DecodeState.Step step) {
        state = step.next();
        step.item().ifPresent(ctx::fireChannelRead);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        wanted = false;
        buffered.release();
        buffered = Unpooled.EMPTY_BUFFER;
    }
}

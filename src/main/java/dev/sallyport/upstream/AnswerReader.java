package dev.sallyport.upstream;

import dev.sallyport.config.Limits;
import dev.sallyport.http.BodyReader;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.util.Optional;

/// Our own strict reader of HTTP/1.1 answers: bytes in, [AnswerPart] out. Netty's takes bare line
/// feeds, folded lines, extensions of chunks and more, each of which somebody else reads in another
/// way.
final class AnswerReader {
    private final Limits.Upstream limits;
    private AnswerState state = new AnswerState.AtRest();
    private ByteBuf buffered = Unpooled.EMPTY_BUFFER;

    AnswerReader(Limits.Upstream limits) {
        this.limits = limits;
    }

    /// A request goes out, so that from now on an answer is owed.
    void expect(boolean headRequest) {
        state = new AnswerState.InHead(limits, headRequest, 0);
    }

    /// Takes ownership.
    void feed(ByteBuf arrived) {
        if (buffered.isReadable()) {
            buffered =
                    ByteToMessageDecoder.MERGE_CUMULATOR.cumulate(
                            arrived.alloc(), buffered, arrived);
        } else {
            buffered.release();
            buffered = arrived;
        }
    }

    /// What comes next, or nothing until more is fed.
    Optional<AnswerPart> next() throws BadAnswerException {
        Optional<AnswerPart> part = Optional.empty();
        Optional<AnswerState.Step> step = state.step(buffered);
        while (step.isPresent() && part.isEmpty()) {
            state = step.get().next();
            part = step.get().part();
            step = part.isEmpty() ? state.step(buffered) : step;
        }
        // A connection that waits, at rest above all, holds no buffer.
        if (!buffered.isReadable()) {
            release();
        }
        return part;
    }

    boolean isUntilClose() {
        return state instanceof AnswerState.UntilClose;
    }

    /// Whether the piece that was read last completes a body of known length.
    boolean isSizedBodyComplete() {
        return state instanceof AnswerState.InBody(_, BodyReader body) && body.isTaken();
    }

    /// Whether something arrived that was not read.
    boolean hasMore() {
        return buffered.isReadable();
    }

    /// What arrived and was not read; ownership passes.
    ByteBuf rest() {
        ByteBuf rest = buffered;
        buffered = Unpooled.EMPTY_BUFFER;
        return rest;
    }

    void release() {
        buffered.release();
        buffered = Unpooled.EMPTY_BUFFER;
    }
}

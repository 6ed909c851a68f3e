package dev.sallyport.relay;

import io.netty.buffer.ByteBuf;
import java.util.function.Consumer;

/// What happens to an answer's bytes between upstream and the sandbox.
public interface AnswerFilter {
    /// Takes ownership of the piece; gives away what it puts out.
    void accept(ByteBuf piece, Consumer<ByteBuf> out) throws RefusedException;

    /// Upstream's answer is complete; refuses when it ended in the middle of something.
    void finish() throws RefusedException;

    default void release() {}

    /// Whether as many bytes come out as go in, so that a length stays true.
    default boolean keepsLength() {
        return false;
    }

    /// Relays an answer as it is.
    final class Unchanged implements AnswerFilter {
        @Override
        public void accept(ByteBuf piece, Consumer<ByteBuf> out) {
            out.accept(piece);
        }

        @Override
        public void finish() {}

        @Override
        public boolean keepsLength() {
            return true;
        }
    }
}

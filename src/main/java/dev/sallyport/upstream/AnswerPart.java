package dev.sallyport.upstream;

import io.netty.buffer.ByteBuf;
import java.util.List;

/// What the reader of answers found, in the order of the wire.
sealed interface AnswerPart {
    record Head(AnswerHead head) implements AnswerPart {}

    /// A piece of the body, without its framing. The receiver releases it.
    record Piece(ByteBuf bytes) implements AnswerPart {}

    /// Fields after the body; the end follows.
    record Trailers(List<AnswerHead.Field> fields) implements AnswerPart {
        public Trailers {
            fields = List.copyOf(fields);
        }
    }

    /// The answer is complete by its own framing.
    record End() implements AnswerPart {}
}

package dev.sallyport.upstream;

import io.netty.buffer.ByteBuf;

/// What the reader of answers found, in the order of the wire.
sealed interface AnswerPart {
    record Head(AnswerHead head) implements AnswerPart {}

    /// A piece of the body, without its framing. The receiver releases it.
    record Piece(ByteBuf bytes) implements AnswerPart {}

    /// The answer is complete by its own framing.
    record End() implements AnswerPart {}
}

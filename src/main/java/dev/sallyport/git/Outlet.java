package dev.sallyport.git;

import dev.sallyport.upstream.Failure;
import io.netty.buffer.ByteBuf;
import java.util.OptionalLong;

/// Where a relayed answer goes, and how it is told when there is none.
interface Outlet {
    /// Once; upstream gives a good answer of this length, if it says.
    void begin(OptionalLong length);

    /// Takes ownership.
    void write(ByteBuf piece);

    boolean isWritable();

    /// The answer is complete.
    void complete();

    /// There is no answer, or no more of it.
    void refuse(Failure failure);

    /// Straight to the sandbox.
    record Plain(Ask ask, String type) implements Outlet {
        @Override
        public void begin(OptionalLong length) {
            ask.responder().start(200, GitWire.answerFields(type), length);
        }

        @Override
        public void write(ByteBuf piece) {
            ask.responder().write(piece);
        }

        @Override
        public boolean isWritable() {
            return ask.responder().isWritable();
        }

        @Override
        public void complete() {
            ask.responder().end();
        }

        @Override
        public void refuse(Failure failure) {
            ask.refuse(failure);
        }
    }
}

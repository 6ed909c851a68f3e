package dev.sallyport.git;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/// What goes upstream as the body of a request. It is pulled, because inflating can make much of
/// little and must stop when upstream is slow.
interface BodySource {
    /// Something that a source is told.
    interface Step {
        void run() throws RefusedException;
    }

    /// A piece from the sandbox; takes ownership.
    void offer(ByteBuf piece) throws RefusedException;

    /// The sandbox's body is complete.
    void finish() throws RefusedException;

    /// The next piece for upstream, or null when there is none now.
    @Nullable ByteBuf poll() throws RefusedException;

    /// Whether everything has been polled and nothing more can come.
    boolean isDone();

    void release();
}

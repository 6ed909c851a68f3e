package dev.sallyport.relay;

import io.netty.buffer.ByteBuf;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What goes upstream as the body of a request. It is pulled, because inflating can make much of
/// little and must stop when upstream is slow.
public interface BodySource {
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

    /// Fields that came after the sandbox's body; a source that has no use for them drops them.
    default void trailers(Map<String, String> fields) {}

    /// Those that go upstream.
    default Map<String, String> trailers() {
        return Map.of();
    }

    void release();
}

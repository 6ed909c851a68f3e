package dev.sallyport.http;

import dev.sallyport.policy.Refusal;
import io.netty.buffer.ByteBuf;
import java.util.Map;

/// Serves one request. All calls come on the connection's event loop: `body` any number of times,
/// then `end`, unless `abort` comes first. Pieces stop coming while [Responder#pauseBody] is in
/// force.
public interface RequestHandler {
    /// A piece of the body, de-chunked. The handler owns the buffer and must release it.
    void body(ByteBuf piece);

    /// Fields that came after the body, as [Trailers] lets them through; its end follows. Who does
    /// not pass them on need not look at them.
    default void trailers(Map<String, String> fields) {}

    /// The body is complete.
    void end();

    /// The sandbox went away, broke a rule or ran out of time: stop everything, answer nothing.
    /// Called at most once, and never after the answer is complete.
    void abort(Refusal reason);

    /// The downstream's send buffer fell below or rose above its mark; a relay pauses or resumes
    /// upstream.
    default void writabilityChanged(boolean writable) {}
}

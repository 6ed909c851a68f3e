package dev.sallyport.http;

import dev.sallyport.policy.Refusal;
import io.netty.buffer.ByteBuf;
import java.util.Map;

/// What an HTTP connection is doing. Exactly one state is current; each transition is a method of
/// the state that is left.
///
/// ```
///           head          place            answer complete            flushed, body over
/// Waiting ───────▶ InLine ──────▶ Serving ─────────────────▶ Finishing ─────────────────▶ Waiting
///    │ refused        │ too long                                 │ no keep-alive, or too much left
///    └────────────────┴───────────▶ Finishing ───────────────────┴───────▶ Lingering ─▶ Closed
/// Serving ── taken over ── out of HTTP, see [Successor]
/// any ── ambiguous framing, time out, cut, sandbox gone ─────────────────────▶ Closed
/// ```
sealed interface ConnectionState permits Waiting, InLine, Serving, Finishing, Lingering, Closed {
    /// May the decoder hand over another item now?
    boolean wantsInput();

    void begun();

    void head(RequestHead head);

    /// Takes ownership of the piece.
    void piece(ByteBuf piece);

    /// Fields came after the body; its end follows.
    default void trailers(Map<String, String> fields) {}

    void bodyEnd();

    void refused(Refusal refusal);

    /// A second has passed. Time is counted in ticks that follow each other, so a gateway that was
    /// itself held up does not blame the sandbox.
    void tick();

    void writabilityChanged(boolean writable);

    /// The connection is over, whatever was going on.
    void over(Refusal reason);
}

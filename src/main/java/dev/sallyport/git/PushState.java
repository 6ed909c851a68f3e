package dev.sallyport.git;

import dev.sallyport.policy.Refusal;
import io.netty.buffer.ByteBuf;

/// What a push whose refs are granted is doing. Exactly one state is current; each transition is a
/// method of the state that is left.
///
/// ```
///                on disk              verdict                 allowed, recorded              report
/// SpoolingPush ──────────▶ JudgingPush ───────▶ RecordingPush ─────────────────▶ ForwardingPush ─────▶ Over
///    │                        └▶ AskingPush ──────▲    │ a rule asks a person: answered               ▲
///    │ disk failed                                 ▲    │ denied: reported                               ▲
///    ├─────────────────────────────────────────────┘    └────────────────────────────────────────────────┤
///    └ refused; any: aborted ────────────────────────────────────────────────────────────────────────────┘
/// ```
sealed interface PushState
        permits SpoolingPush,
                JudgingPush,
                AskingPush,
                RecordingPush,
                ForwardingPush,
                PushState.Over {
    /// Takes ownership. After the pack nothing is expected.
    default void body(ByteBuf piece) {
        piece.release();
    }

    default void end() {}

    void abort(Refusal reason);

    default void writabilityChanged(boolean writable) {}

    /// It is answered or given up.
    final class Over implements PushState {
        @Override
        public void abort(Refusal reason) {}
    }
}

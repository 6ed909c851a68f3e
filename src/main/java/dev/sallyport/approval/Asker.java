package dev.sallyport.approval;

import dev.sallyport.policy.SessionId;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/// Who asks a person, for the doors of the gateway.
public interface Asker {
    /// Where there is nobody to ask.
    Asker NOBODY = (_, _) -> Asked.not(Outcome.EXPIRED);

    /// Never blocks. The answer comes in bounded time, on any thread.
    Asked ask(SessionId session, Question question);

    /// A question that was asked.
    ///
    /// @param id by which a person answers; empty when nobody could be asked
    /// @param reply never fails but by [#withdraw]
    record Asked(String id, CompletableFuture<Reply> reply) {
        public static Asked not(Outcome why) {
            return new Asked("", CompletableFuture.completedFuture(new Reply(why, "")));
        }

        /// Has the answer told there, unless it is withdrawn before.
        public void then(Executor loop, Consumer<Reply> told) {
            var _ = reply.thenAccept(given -> loop.execute(() -> told.accept(given)));
        }

        /// Nobody waits for the answer any more.
        public void withdraw() {
            reply.cancel(false);
        }
    }

    /// What came of it.
    ///
    /// @param note one line of the person's, or empty
    record Reply(Outcome outcome, String note) {}
}

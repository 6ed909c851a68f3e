package dev.sallyport.credential;

import dev.sallyport.policy.Refusal;
import java.util.concurrent.CompletableFuture;

/// Has a secret replaced by its next version. Those who ask for the same version at the same time
/// share one renewal, whichever session they belong to.
public interface Renewer {
    /// For sessions without logins.
    Renewer NONE =
            _ -> CompletableFuture.failedFuture(new NotRenewedException(Refusal.LOGIN_NOT_RENEWED));

    /// Completes when the next version is stored and the session's book has been replaced by one
    /// with it; fails with a [NotRenewedException].
    CompletableFuture<Void> renew(InjectedCredential due);

    /// There is no next version.
    final class NotRenewedException extends Exception {
        private static final long serialVersionUID = 1L;
        private final Refusal reason;

        public NotRenewedException(Refusal reason) {
            super(reason.code());
            this.reason = reason;
        }

        public Refusal reason() {
            return reason;
        }

        /// Of whatever a future failed with.
        public static Refusal reason(Throwable problem, Refusal otherwise) {
            Throwable cause = problem.getCause() == null ? problem : problem.getCause();
            return cause instanceof NotRenewedException told ? told.reason() : otherwise;
        }
    }
}

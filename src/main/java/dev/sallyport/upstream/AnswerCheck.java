package dev.sallyport.upstream;

import dev.sallyport.policy.Refusal;
import dev.sallyport.upstream.AnswerHead.Framing;
import java.util.List;
import java.util.Optional;

/// Decides whether the head of a final answer of a git host is one that may be relayed. Nothing of
/// it is copied; what the sandbox gets is written anew.
final class AnswerCheck {
    private AnswerCheck() {}

    /// Why the answer is not relayed, if it is not. The repository is granted, so the sandbox may
    /// know what upstream has against it; a redirect is never followed (CVE-2026-41506).
    ///
    /// @param authorized whether the request carried a credential
    static Optional<Failure> objection(AnswerHead answer, String expectedType, boolean authorized) {
        int status = answer.status();
        if (status == 200 && isRelayable(answer, expectedType)) {
            return Optional.empty();
        }
        return Optional.of(
                new Failure(
                        reason(status, authorized), status, Failure.RetryAfter.seconds(answer)));
    }

    static Refusal reason(int status, boolean authorized) {
        return switch (status) {
            case 401 -> authorized ? Refusal.CREDENTIAL_REFUSED : Refusal.CREDENTIAL_MISSING;
            case 403 -> Refusal.UPSTREAM_FORBIDDEN;
            case 404 -> Refusal.REPO_NOT_FOUND;
            case 413 -> Refusal.UPSTREAM_TOO_LARGE;
            case 429 -> Refusal.UPSTREAM_BUSY;
            default -> status >= 500 ? Refusal.UPSTREAM_FAILED : Refusal.UPSTREAM_MISBEHAVED;
        };
    }

    /// A body that ends when the connection does cannot be told from one that was cut.
    private static boolean isRelayable(AnswerHead answer, String expectedType) {
        return !answer.old()
                && answer.values("content-type").equals(List.of(expectedType))
                && answer.values("content-encoding").isEmpty()
                && !(answer.framing() instanceof Framing.UntilClose);
    }
}

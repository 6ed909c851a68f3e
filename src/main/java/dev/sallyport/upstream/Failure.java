package dev.sallyport.upstream;

import dev.sallyport.policy.Refusal;
import java.util.OptionalLong;

/// Why a request came to nothing, with what upstream said about it.
///
/// @param status what upstream answered; 0 when it did not, or when it is not to blame
/// @param retrySeconds how long upstream asks to wait
public record Failure(Refusal reason, int status, OptionalLong retrySeconds) {
    public static Failure of(Refusal reason) {
        return new Failure(reason, 0, OptionalLong.empty());
    }

    /// What the status of an answer says that is not passed on.
    ///
    /// @param authorized whether the request carried a credential
    public static Failure of(AnswerHead answer, boolean authorized) {
        return new Failure(
                AnswerCheck.reason(answer.status(), authorized),
                answer.status(),
                RetryAfter.seconds(answer));
    }

    /// Whether upstream said no, so that nothing has happened there. Of an error of its own that is
    /// not known.
    public boolean isRefusedUpstream() {
        return status >= 400 && status < 500;
    }

    /// For the person and the record; empty when there is nothing to add to the reason.
    public String detail() {
        if (status == 0) {
            return "";
        }
        String answered = "upstream answered " + status;
        return retrySeconds.isPresent()
                ? answered + "; try again in " + retrySeconds.getAsLong() + " seconds"
                : answered;
    }
}

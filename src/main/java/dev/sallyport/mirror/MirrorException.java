package dev.sallyport.mirror;

import dev.sallyport.policy.Refusal;
import dev.sallyport.upstream.Failure;

/// The copy of a repository cannot be had, so nothing can be judged against it.
public final class MirrorException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient Failure failure;

    MirrorException(Failure failure, String message, Throwable cause) {
        super(message, cause);
        this.failure = failure;
    }

    public Failure failure() {
        return failure;
    }

    public Refusal refusal() {
        return failure.reason();
    }
}

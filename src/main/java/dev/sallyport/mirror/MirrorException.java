package dev.sallyport.mirror;

import dev.sallyport.policy.Refusal;

/// The copy of a repository cannot be had, so nothing can be judged against it.
public final class MirrorException extends Exception {
    private static final long serialVersionUID = 1L;

    private final Refusal refusal;

    MirrorException(Refusal refusal, String message, Throwable cause) {
        super(message, cause);
        this.refusal = refusal;
    }

    public Refusal refusal() {
        return refusal;
    }
}

package dev.sallyport.upstream;

import dev.sallyport.policy.Refusal;

/// Upstream could not be had, for this reason.
final class UpstreamException extends Exception {
    private static final long serialVersionUID = 1L;

    private final Refusal refusal;

    UpstreamException(Refusal refusal) {
        super(refusal.code());
        this.refusal = refusal;
    }

    UpstreamException(Refusal refusal, Throwable cause) {
        super(refusal.code(), cause);
        this.refusal = refusal;
    }

    Refusal refusal() {
        return refusal;
    }
}

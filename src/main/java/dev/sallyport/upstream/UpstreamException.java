package dev.sallyport.upstream;

import dev.sallyport.policy.Refusal;
import java.io.IOException;

/// Upstream could not be had, for this reason.
public final class UpstreamException extends IOException {
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

    public Refusal refusal() {
        return refusal;
    }
}

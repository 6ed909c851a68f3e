package dev.sallyport.upstream;

import dev.sallyport.policy.Refusal;
import java.io.IOException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;

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

    /// What a failed future says, as one of these.
    static UpstreamException of(Throwable problem) {
        Throwable inner = problem instanceof CompletionException ? problem.getCause() : null;
        Throwable cause = inner == null ? problem : inner;
        return switch (cause) {
            case UpstreamException e -> e;
            case TimeoutException e -> new UpstreamException(Refusal.UPSTREAM_TIMEOUT, e);
            default -> new UpstreamException(Refusal.INTERNAL, cause);
        };
    }

    public Refusal refusal() {
        return refusal;
    }
}

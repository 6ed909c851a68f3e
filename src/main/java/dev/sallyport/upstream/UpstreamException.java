package dev.sallyport.upstream;

import dev.sallyport.policy.Refusal;
import java.io.IOException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;

/// Upstream could not be had, for this reason.
public final class UpstreamException extends IOException {
    private static final long serialVersionUID = 1L;

    private final transient Failure failure;

    UpstreamException(Refusal refusal) {
        this(Failure.of(refusal));
    }

    UpstreamException(Failure failure) {
        super(failure.reason().code());
        this.failure = failure;
    }

    UpstreamException(Refusal refusal, Throwable cause) {
        super(refusal.code(), cause);
        this.failure = Failure.of(refusal);
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

    public Failure failure() {
        return failure;
    }

    public Refusal refusal() {
        return failure.reason();
    }
}

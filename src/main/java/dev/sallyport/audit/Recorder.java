package dev.sallyport.audit;

import dev.sallyport.config.DiskFullException;
import dev.sallyport.policy.Refusal;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/// Where the gateway's doors put what they decided. The future completes when the event is in the
/// log; when it fails, which it does when there is no answer for too long, the decision has no
/// effect.
public interface Recorder {
    CompletableFuture<Void> record(AuditEvent event);

    /// As [#record], for an allowed request that changes nothing, opens nothing and was not asked
    /// to. When a session sends very many, some are only counted.
    default CompletableFuture<Void> recordRead(AuditEvent event) {
        return record(event);
    }

    /// Continues on the loop of whoever decided; with a refusal when the record was not made.
    static void then(
            CompletableFuture<Void> record, Executor loop, Consumer<Optional<Refusal>> next) {
        var _ =
                record.whenComplete(
                        (_, problem) ->
                                loop.execute(
                                        () ->
                                                next.accept(
                                                        Optional.ofNullable(problem)
                                                                .map(Recorder::refusal))));
    }

    /// What a request is refused with when its event is not in the log.
    static Refusal refusal(Throwable problem) {
        for (Throwable cause = problem; cause != null; cause = cause.getCause()) {
            if (cause instanceof DiskFullException) {
                return Refusal.DISK_FULL;
            }
            if (cause instanceof RecordRateException) {
                return Refusal.TOO_MANY_REQUESTS;
            }
        }
        return Refusal.NOT_RECORDED;
    }

    /// A session has used up the lines that it may add to the record for now.
    final class RecordRateException extends IOException {
        private static final long serialVersionUID = 1L;

        RecordRateException() {
            super("this session adds too much to the audit log");
        }
    }
}

package dev.sallyport.audit;

import java.util.concurrent.CompletableFuture;

/// Where the gateway's doors put what they decided. The future completes when the event is in the
/// log; when it fails, which it does when there is no answer for too long, the decision has no
/// effect.
public interface Recorder {
    CompletableFuture<Void> record(AuditEvent event);
}

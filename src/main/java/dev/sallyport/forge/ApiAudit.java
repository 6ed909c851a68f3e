package dev.sallyport.forge;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.audit.Recorder;
import dev.sallyport.http.RefusalLog;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.Ask;
import dev.sallyport.upstream.Failure;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/// What requests of one session to APIs leave in the record. What is allowed waits for its line;
/// refusals do not, and share the limit of [RefusalLog]. Of texts the record has digests only.
record ApiAudit(Recorder recorder, RefusalLog refusals) {
    private static final String REQUEST = "api.request";

    /// The effect waits for this future.
    ///
    /// @param write whether it changes something, so that it is never only counted
    CompletableFuture<Void> allowed(Ask ask, Map<String, String> facts, boolean write) {
        AuditEvent event = ask.event(REQUEST, "allow", request(ask, facts));
        return write ? recorder.record(event) : recorder.recordRead(event);
    }

    /// A request came to nothing before it was allowed.
    void denied(Ask ask, Refusal reason) {
        refusals.refused(REQUEST, reason, request(ask, Map.of()));
    }

    /// The same, in the words that the client is told, unless these only say what the reason does.
    void denied(Ask ask, Ruling.Denied denied) {
        Map<String, String> detail = request(ask, denied.detail());
        if (!denied.hidden() && !denied.message().equals(denied.reason().sentence())) {
            detail.put("denied", denied.message());
        }
        refusals.refused(REQUEST, denied.reason(), detail);
    }

    private static Map<String, String> request(Ask ask, Map<String, String> facts) {
        Map<String, String> detail = new TreeMap<>(facts);
        detail.put("id", ask.id());
        if (!detail.containsKey("repo")) {
            detail.put("host", ask.head().host());
        }
        detail.put("method", ask.head().method());
        detail.put("path", ask.head().path());
        return detail;
    }

    /// The gateway asks something itself; that waits for this future.
    CompletableFuture<Void> question(Ask ask, Question question) {
        Map<String, String> detail = new TreeMap<>();
        detail.put("id", ask.id());
        detail.put("question", question.kind());
        detail.put("repo", question.order().permit().repo().key());
        return recorder.recordRead(ask.event("api.question", "allow", detail));
    }

    /// A redirect is followed; that waits for this future. Of the address the host is told: the
    /// rest of it is a credential.
    CompletableFuture<Void> download(Ask ask, HostName store) {
        Map<String, String> detail = Map.of("id", ask.id(), "host", store.value());
        return recorder.recordRead(ask.event("api.download", "allow", detail));
    }

    /// What went wrong after the request was allowed. Nothing waits for it.
    void failed(Ask ask, Failure failure) {
        var _ = recorder.record(ask.failure("api.failed", failure, ""));
    }
}

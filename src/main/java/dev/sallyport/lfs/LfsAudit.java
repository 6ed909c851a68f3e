package dev.sallyport.lfs;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.audit.Recorder;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.RepoName;
import dev.sallyport.relay.Ask;
import dev.sallyport.upstream.Failure;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/// What is written down of large files: each batch, and each transfer with the object's name.
record LfsAudit(Recorder recorder) {
    /// Each takes two details of an event, which has room for 32.
    private static final int OBJECTS_TOLD = 8;

    /// A request that is none of those below, or is refused before it is read.
    CompletableFuture<Void> request(Ask ask, RepoName repo, String path, Optional<Refusal> reason) {
        Map<String, String> detail = detail(ask, repo, reason);
        detail.put("path", path);
        detail.put("method", ask.head().method());
        AuditEvent event = event(ask, "lfs.request", reason, detail);
        return reason.isEmpty() ? recorder.recordRead(event) : recorder.record(event);
    }

    CompletableFuture<Void> batch(
            Ask ask, RepoName repo, BatchRequest batch, int denied, Optional<Refusal> reason) {
        Map<String, String> detail = detail(ask, repo, reason);
        detail.put("operation", batch.word());
        detail.put("objects", Integer.toString(batch.objects().size()));
        detail.put("bytes", Long.toString(batch.bytes()));
        if (denied > 0) {
            detail.put("denied", Integer.toString(denied));
        }
        List<LfsObject> told =
                batch.objects().subList(0, Math.min(OBJECTS_TOLD, batch.objects().size()));
        for (int i = 0; i < told.size(); i++) {
            detail.put("oid-" + (i + 1), told.get(i).oid().hex());
            detail.put("size-" + (i + 1), Long.toString(told.get(i).size()));
        }
        AuditEvent event = event(ask, "lfs.batch", reason, detail);
        return reason.isEmpty() && !batch.isUpload()
                ? recorder.recordRead(event)
                : recorder.record(event);
    }

    /// An object is about to be moved, or is not.
    CompletableFuture<Void> transfer(
            Ask ask, RepoName repo, Action.Verb verb, Action action, Optional<Refusal> reason) {
        Map<String, String> detail = detail(ask, repo, reason);
        detail.put("oid", action.object().oid().hex());
        detail.put("size", Long.toString(action.object().size()));
        detail.put("store", action.place().host().value());
        AuditEvent event = event(ask, "lfs." + verb.word(), reason, detail);
        return reason.isEmpty() && verb == Action.Verb.DOWNLOAD
                ? recorder.recordRead(event)
                : recorder.record(event);
    }

    /// The gateway itself asks upstream whether it has the objects of a push.
    CompletableFuture<Void> presence(String session, RepoName repo, int objects) {
        Map<String, String> detail = new TreeMap<>();
        detail.put("repo", repo.key());
        detail.put("objects", Integer.toString(objects));
        return recorder.record(new AuditEvent("lfs.presence", session, "allow", detail));
    }

    /// A store sends on to another, and is about to be followed.
    void followed(Ask ask, HostName store, Runnable next, Consumer<Refusal> unrecorded) {
        Map<String, String> detail = new TreeMap<>();
        detail.put("id", ask.id());
        detail.put("store", store.value());
        Recorder.then(
                recorder.recordRead(ask.event("lfs.followed", "allow", detail)),
                ask.responder().loop(),
                reason -> reason.ifPresentOrElse(unrecorded, next));
    }

    /// An object that looks as if it held a credential goes up all the same, as the rules say.
    void warned(Ask ask, Oid oid, String rule) {
        Map<String, String> detail = new TreeMap<>();
        detail.put("id", ask.id());
        detail.put("oid", oid.hex());
        detail.put("rule", rule);
        var _ = recorder.record(ask.event("lfs.warning", "", detail));
    }

    /// What went wrong after the request was allowed. Nothing waits for it.
    void failed(Ask ask, Failure failure, String why) {
        var _ = recorder.record(ask.failure("lfs.failed", failure, why));
    }

    private static Map<String, String> detail(Ask ask, RepoName repo, Optional<Refusal> reason) {
        Map<String, String> detail = new TreeMap<>();
        detail.put("id", ask.id());
        detail.put("repo", repo.key());
        reason.ifPresent(refusal -> detail.put("reason", refusal.code()));
        return detail;
    }

    private static AuditEvent event(
            Ask ask, String kind, Optional<Refusal> reason, Map<String, String> detail) {
        return ask.event(kind, reason.isPresent() ? "deny" : "allow", detail);
    }
}

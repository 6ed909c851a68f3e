package dev.sallyport.relay;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.audit.Recorder;
import dev.sallyport.http.IgnoredBody;
import dev.sallyport.http.RefusalLog;
import dev.sallyport.http.RefusalPage;
import dev.sallyport.http.RequestHandler;
import dev.sallyport.http.RequestHead;
import dev.sallyport.http.Responder;
import dev.sallyport.policy.ApiPermit;
import dev.sallyport.policy.Decision;
import dev.sallyport.policy.GitPermit;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.Remedy;
import dev.sallyport.session.LiveSession;
import dev.sallyport.upstream.Failure;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/// One request of a sandbox, with the id that its audit events and its refusal share.
public record Ask(LiveSession session, RequestHead head, Responder responder, String id) {
    public static Ask of(LiveSession session, RequestHead head, Responder responder) {
        return new Ask(session, head, responder, RefusalLog.newId());
    }

    /// A line about it for the record.
    ///
    /// @param decision `allow`, `deny`, or empty for what only tells
    public AuditEvent event(String kind, String decision, Map<String, String> detail) {
        return new AuditEvent(kind, session.id().value(), decision, detail);
    }

    /// What went wrong after it was allowed, so that the id in a refusal leads somewhere.
    ///
    /// @param why more for the record; may be empty
    public AuditEvent failure(String kind, Failure failure, String why) {
        Map<String, String> detail = new TreeMap<>();
        detail.put("id", id);
        detail.put("reason", failure.reason().code());
        if (failure.status() > 0) {
            detail.put("upstream-status", Integer.toString(failure.status()));
        }
        if (!why.isEmpty()) {
            detail.put("detail", why);
        }
        return event(kind, "", detail);
    }

    /// Starts a stage when its decision is recorded, and refuses when it is not: no record, no
    /// relay.
    public Stage serve(Stage stage, CompletableFuture<Void> record) {
        responder.pauseBody();
        Recorder.then(
                record,
                responder.loop(),
                unrecorded ->
                        unrecorded.ifPresentOrElse(
                                reason -> stage.unrecorded(this, reason), stage::start));
        return stage;
    }

    /// Refuses when that is recorded, or because it is not.
    public RequestHandler refuse(Refusal reason, CompletableFuture<Void> record) {
        responder.pauseBody();
        Recorder.then(record, responder.loop(), unrecorded -> refuse(unrecorded.orElse(reason)));
        return new IgnoredBody();
    }

    public void refuse(Refusal reason) {
        refuse(Failure.of(reason));
    }

    public void refuse(Failure failure) {
        responder.refuse(failure.reason(), id, failure.retrySeconds(), "", remedy(failure));
    }

    /// The words of [#refuse], for an answer that has begun.
    public String refusalText(Failure failure) {
        return RefusalPage.of(failure.reason(), id, failure.retrySeconds(), "", remedy(failure))
                .text();
    }

    /// Names nothing that was asked for, so that the answers about all repositories are equal.
    private Optional<Remedy> remedy(Failure failure) {
        return Remedy.of(failure.reason(), session.sandbox(), Map.of());
    }

    /// Whether the session may still do what it was permitted when it asked, and in the same way.
    public boolean holds(ApiPermit permit) {
        Policy now = responder.session().policy();
        return now.decide(permit.repo(), permit.operation())
                        instanceof Decision.Allow<ApiPermit>(ApiPermit present)
                && present.isLike(permit);
    }

    /// The same.
    public boolean holds(GitPermit permit) {
        Policy now = responder.session().policy();
        return now.equals(session.policy())
                || (now.decide(permit.repo(), permit.service())
                                instanceof Decision.Allow<GitPermit>(GitPermit present)
                        && present.isLike(permit));
    }
}

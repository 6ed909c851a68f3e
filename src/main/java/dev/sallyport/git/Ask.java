package dev.sallyport.git;

import dev.sallyport.http.RefusalLog;
import dev.sallyport.http.RequestHead;
import dev.sallyport.http.Responder;
import dev.sallyport.policy.Decision;
import dev.sallyport.policy.GitPermit;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.Remedy;
import dev.sallyport.session.LiveSession;
import dev.sallyport.upstream.Failure;
import java.util.Map;
import java.util.Optional;

/// One request of a sandbox, with the id that its audit events and its refusal share.
record Ask(LiveSession session, RequestHead head, Responder responder, String id) {
    static Ask of(LiveSession session, RequestHead head, Responder responder) {
        return new Ask(session, head, responder, RefusalLog.newId());
    }

    /// Whether the session may still do what it was permitted when it asked, and in the same way.
    boolean holds(GitPermit permit) {
        Policy now = responder.session().policy();
        return now.equals(session.policy())
                || (now.decide(permit.repo(), permit.service())
                                instanceof Decision.Allow<GitPermit>(GitPermit present)
                        && present.isLike(permit));
    }

    void refuse(Refusal reason) {
        refuse(Failure.of(reason));
    }

    void refuse(Failure failure) {
        // Names nothing that was asked for, so that the answers about all repositories are equal.
        Optional<Remedy> remedy = Remedy.of(failure.reason(), session.sandbox(), Map.of());
        responder.refuse(failure.reason(), id, failure.retrySeconds(), remedy);
    }
}

package dev.sallyport.egress;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.audit.Recorder;
import dev.sallyport.http.RefusalLog;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.SessionId;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;

/// What the connections of one session's egress leave in the record. A connection that is allowed
/// waits for its line; refusals do not, and share the limit of [RefusalLog].
public final class EgressAudit {
    private static final String CONNECT = "egress.connect";

    /// What a wrong host may look like and still be shown: no user information, nothing escaped.
    private static final Pattern SHOWN = Pattern.compile("[A-Za-z0-9.:_\\[\\]-]{1,255}");

    private final SessionId session;
    private final Recorder recorder;
    private final RefusalLog refusals;

    public EgressAudit(SessionId session, Recorder recorder, RefusalLog refusals) {
        this.session = session;
        this.recorder = recorder;
        this.refusals = refusals;
    }

    /// The effect waits for this future.
    ///
    /// @param approval the question that a person said yes to; empty when nobody was asked
    CompletableFuture<Void> allowed(Attempt attempt, EgressPermit permit, String approval) {
        Map<String, String> detail = attempt.detail();
        if (!approval.isEmpty()) {
            detail.put("approval", approval);
        }
        detail.put("rule", permit.origin());
        detail.put("inspected", permit.inspection().isPresent() ? "yes" : "no");
        String decision = permit.learned() ? "learned" : "allow";
        return recorder.record(new AuditEvent(CONNECT, session.value(), decision, detail));
    }

    void refused(Attempt attempt, Refusal refusal, Map<String, String> more) {
        Map<String, String> detail = attempt.detail();
        detail.putAll(more);
        refusals.refused(CONNECT, refusal, detail);
    }

    /// For a target that is no host name. It is the sandbox's text, so it is shown only when there
    /// can be nothing in it that must not be. Returns the id to show to the sandbox.
    String refused(Attempt.Entrance entrance, String target, Refusal refusal) {
        String id = RefusalLog.newId();
        Map<String, String> detail = new TreeMap<>();
        detail.put("id", id);
        detail.put("door", entrance.label());
        if (SHOWN.matcher(target).matches()) {
            detail.put("host", target);
        }
        refusals.refused(CONNECT, refusal, detail);
        return id;
    }

    /// A connection that was let through is ended by us, against the sandbox's wish.
    void cut(Attempt attempt, Refusal reason) {
        Map<String, String> detail = attempt.detail();
        detail.put("reason", reason.code());
        var _ = recorder.record(new AuditEvent("egress.cut", session.value(), "deny", detail));
    }

    /// A connection that was let through is over.
    void ended(Attempt attempt, String why, long bytesUp, long bytesDown, long seconds) {
        Map<String, String> detail = attempt.detail();
        detail.put("why", why);
        detail.put("bytes-up", Long.toString(bytesUp));
        detail.put("bytes-down", Long.toString(bytesDown));
        detail.put("seconds", Long.toString(seconds));
        var _ = recorder.record(new AuditEvent("egress.end", session.value(), "", detail));
    }
}

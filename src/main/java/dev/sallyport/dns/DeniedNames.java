package dev.sallyport.dns;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.audit.Recorder;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.SessionId;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/// Records each name that a session was denied, once. The table has a fixed size, because a sandbox
/// can invent names without end; that it is full is recorded once, too.
final class DeniedNames {
    static final int NAMES_MAX = 1_024;

    private final SessionId session;
    private final Recorder recorder;
    private final Set<String> seen = new HashSet<>();
    private boolean full;

    DeniedNames(SessionId session, Recorder recorder) {
        this.session = session;
        this.recorder = recorder;
    }

    /// Denying needs no record to take effect, so the answer does not wait.
    synchronized void denied(String name) {
        if (seen.contains(name)) {
            return;
        }
        if (seen.size() >= NAMES_MAX) {
            if (!full) {
                full = true;
                record("dns.overflow", Map.of("names", Integer.toString(NAMES_MAX)));
            }
            return;
        }
        seen.add(name);
        record("dns.denied", Map.of("name", name, "reason", Refusal.NAME_NOT_ALLOWED.code()));
    }

    private void record(String kind, Map<String, String> detail) {
        var _ = recorder.record(new AuditEvent(kind, session.value(), "deny", detail));
    }
}

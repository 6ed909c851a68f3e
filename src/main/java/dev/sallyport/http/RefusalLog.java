package dev.sallyport.http;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.audit.Recorder;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.SessionId;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/// Puts what is refused before any door sees it into words. A refusal needs no permission to take
/// effect, so nothing waits for the record; how much of it is written is the recorder's matter.
public final class RefusalLog {
    private static final int RANDOM_BITS = 20;

    private final SessionId session;
    private final Recorder recorder;

    public RefusalLog(SessionId session, Recorder recorder) {
        this.session = session;
        this.recorder = recorder;
    }

    /// An id for one request, under which the audit can be searched. Later ones are greater, so
    /// that a range of them stands for what happened in a time.
    public static String newId() {
        long random = ThreadLocalRandom.current().nextLong(1L << RANDOM_BITS);
        return HexFormat.of().toHexDigits(System.currentTimeMillis() << RANDOM_BITS | random);
    }

    /// Records a refusal and returns the id to show to the sandbox.
    public String refused(Refusal refusal) {
        String id = newId();
        refused("http.refused", refusal, Map.of("id", id));
        return id;
    }

    /// Records a refusal of a door that says more about it.
    ///
    /// @param detail with the id that the sandbox is shown
    public void refused(String kind, Refusal refusal, Map<String, String> detail) {
        Map<String, String> all = new HashMap<>(detail);
        all.put("reason", refusal.code());
        record(kind, all);
    }

    /// Records that what a sandbox sent can be read in two ways.
    ///
    /// @return why the connection or stream ends
    Refusal ambiguous() {
        record("http.ambiguous", Map.of("reason", "ambiguous-framing", "id", newId()));
        return Refusal.BAD_REQUEST;
    }

    private void record(String kind, Map<String, String> detail) {
        var _ = recorder.record(new AuditEvent(kind, session.value(), "deny", detail));
    }
}

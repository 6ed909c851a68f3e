package dev.sallyport.http;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.audit.Recorder;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.SessionId;
import io.github.bucket4j.Bucket;
import java.time.Duration;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;

/// Records what is refused before any door sees it. A refusal needs no permission to take effect,
/// so nothing waits for the record; and a sandbox that is refused a thousand times a second must
/// not write a thousand lines, so the surplus is counted and told with the next line.
public final class RefusalLog {
    private static final int LINES_PER_SECOND_MAX = 5;

    private final SessionId session;
    private final Recorder recorder;
    private final AtomicLong unrecorded = new AtomicLong();
    private final Bucket lines =
            Bucket.builder()
                    .addLimit(
                            limit ->
                                    limit.capacity(LINES_PER_SECOND_MAX * 10L)
                                            .refillGreedy(
                                                    LINES_PER_SECOND_MAX, Duration.ofSeconds(1)))
                    .build();

    public RefusalLog(SessionId session, Recorder recorder) {
        this.session = session;
        this.recorder = recorder;
    }

    /// An id for one request, under which the audit can be searched.
    public static String newId() {
        return HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong());
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

    void ambiguous() {
        record("http.ambiguous", Map.of("reason", "ambiguous-framing", "id", newId()));
    }

    private void record(String kind, Map<String, String> detail) {
        if (!lines.tryConsume(1)) {
            unrecorded.incrementAndGet();
            return;
        }
        Map<String, String> all = new HashMap<>(detail);
        long missed = unrecorded.getAndSet(0);
        if (missed > 0) {
            all.put("unrecorded-before", Long.toString(missed));
        }
        recorder.record(new AuditEvent(kind, session.value(), "deny", all))
                .exceptionally(
                        _ -> {
                            unrecorded.addAndGet(missed + 1);
                            return null;
                        });
    }
}

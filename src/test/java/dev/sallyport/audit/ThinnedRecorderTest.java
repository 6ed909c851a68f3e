package dev.sallyport.audit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.policy.Refusal;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// I17: refusals cannot flood the record, and none of them is forgotten.
class ThinnedRecorderTest {
    private static final String SESSION = "0123456789abcdef";

    private final List<AuditEvent> lines = new ArrayList<>();
    private final AtomicLong nanos = new AtomicLong();
    private final ThinnedRecorder recorder = new ThinnedRecorder(this::write, nanos::get);
    private boolean broken;
    private long ids;

    private CompletableFuture<Void> write(AuditEvent event) {
        if (broken) {
            return CompletableFuture.failedFuture(new IOException("broken"));
        }
        lines.add(event);
        return CompletableFuture.completedFuture(null);
    }

    @BeforeEach
    void begin() {
        recorder.begin(SESSION);
    }

    private void deny(String kind, String reason, int times) {
        for (int i = 0; i < times; i++) {
            String id = HexFormat.of().toHexDigits(++ids);
            Map<String, String> detail = Map.of("id", id, "reason", reason);
            assertThat(recorder.record(new AuditEvent(kind, SESSION, "deny", detail)))
                    .isCompleted();
        }
    }

    private void pass(Duration time) {
        for (long second = 0; second < time.toSeconds(); second++) {
            nanos.addAndGet(Duration.ofSeconds(1).toNanos());
            recorder.tellWhatIsDue();
        }
    }

    private long told() {
        long summaries = 0;
        for (AuditEvent line : lines) {
            summaries +=
                    line.kind().equals("audit.thinned")
                            ? Long.parseLong(line.detail().getOrDefault("count", "0"))
                            : 1;
        }
        return summaries;
    }

    @Test
    void i17_aDayOfRefusalsStaysSmall() {
        for (int minute = 0; minute < 24 * 60; minute++) {
            deny("git.request", "repo-unavailable", 200);
            deny("git.push", "ref-not-allowed", 50);
            pass(Duration.ofMinutes(1));
        }
        recorder.end(SESSION);
        long bytes = 0;
        for (AuditEvent line : lines) {
            bytes +=
                    AuditLine.encode(1, java.time.Instant.EPOCH, line, AuditLine.FIRST_PREV).length;
        }
        assertThat(bytes).isLessThan(32L << 20);
        assertThat(told()).isEqualTo(24 * 60 * 250L);
    }

    @Test
    void saysWithinHalfAMinuteWhatWasLeftOut() {
        deny("git.request", "repo-unavailable", 1_000);
        deny("dns.denied", "name-not-allowed", 7);
        int before = lines.size();
        assertThat(before).isBetween(50, 300);
        pass(Duration.ofSeconds(29));
        assertThat(lines).hasSize(before);

        pass(Duration.ofSeconds(1));

        AuditEvent summary = lines.getLast();
        assertThat(lines).hasSize(before + 1);
        assertThat(summary.kind()).isEqualTo("audit.thinned");
        assertThat(summary.decision()).isEqualTo("deny");
        assertThat(summary.detail())
                .containsEntry("count", Integer.toString(1_007 - before))
                .containsEntry("git.request.repo-unavailable", Integer.toString(1_000 - before))
                .containsEntry("dns.denied.name-not-allowed", "7")
                .containsEntry("first-id", "%016x".formatted(before + 1))
                .containsEntry("last-id", "%016x".formatted(1_007))
                .containsKeys("from", "to");
        pass(Duration.ofMinutes(5));
        assertThat(lines).as("once is enough").hasSize(before + 1);
    }

    @Test
    void cheapRefusalsCannotHideADeniedPush() {
        deny("http.refused", "no-such-endpoint", 5_000);
        deny("git.push", "ref-not-allowed", 1);
        assertThat(lines.getLast().kind()).isEqualTo("git.push");
    }

    @Test
    void oneSandboxDoesNotSpendTheAllowanceOfAnother() {
        recorder.begin("other");
        deny("http.refused", "no-such-endpoint", 5_000);
        var _ = recorder.record(new AuditEvent("http.refused", "other", "deny", Map.of()));
        assertThat(lines.getLast().session()).isEqualTo("other");
    }

    @Test
    void whatIsAllowedIsNeverThinned() {
        for (int i = 0; i < 5_000; i++) {
            var _ = recorder.record(new AuditEvent("git.request", SESSION, "allow", Map.of()));
        }
        assertThat(lines).hasSize(5_000);
    }

    private static AuditEvent request(String id) {
        Map<String, String> detail =
                Map.of("id", id, "host", "h".repeat(40), "path", "p".repeat(120), "rule", "r");
        return new AuditEvent("egress.request", SESSION, "allow", detail);
    }

    private CompletableFuture<Void> spendWhatIsAllowed() {
        CompletableFuture<Void> last = recorder.record(request("%016x".formatted(0)));
        for (int i = 1; i < 200_000 && !last.isCompletedExceptionally(); i++) {
            last = recorder.record(request("%016x".formatted(i)));
        }
        return last;
    }

    @Test
    void i17_whatCameToNothingIsThinnedLikeADenial() {
        for (String kind : List.of("git.failed", "egress.failed")) {
            for (int i = 0; i < 5_000; i++) {
                Map<String, String> detail = Map.of("id", "%016x".formatted(i), "reason", "bad");
                assertThat(recorder.record(new AuditEvent(kind, SESSION, "", detail)))
                        .isCompleted();
            }
        }
        assertThat(lines).hasSizeLessThan(300);
        recorder.end(SESSION);
        assertThat(told()).isEqualTo(10_000);
        assertThat(lines.getLast().detail()).containsKeys("git.failed.bad", "egress.failed.bad");
    }

    @Test
    void i17_theFastestUseOfTwentySecondsPasses() {
        for (int i = 0; i < 20 * 6_000; i++) {
            assertThat(recorder.record(request("%016x".formatted(i))).isCompletedExceptionally())
                    .isFalse();
        }
        assertThat(lines).hasSize(20 * 6_000);
    }

    @Test
    void i17_allowedRequestsCannotPushTheRecordOutEither() {
        CompletableFuture<Void> refused = spendWhatIsAllowed();
        int before = lines.size();
        assertThat(refused).isCompletedExceptionally();
        assertThat(Recorder.refusal(refused.exceptionNow())).isEqualTo(Refusal.TOO_MANY_REQUESTS);
        assertThat(lines).as("no line").doesNotContain(request("%016x".formatted(before)));
        recorder.begin("other");
        var _ = recorder.record(new AuditEvent("git.request", "other", "allow", Map.of()));
        assertThat(lines.getLast().session()).isEqualTo("other");
        deny("git.push", "ref-not-allowed", 1);
        assertThat(lines.getLast().kind()).isEqualTo("git.push");

        pass(Duration.ofSeconds(30));
        assertThat(lines.getLast().detail()).containsEntry("egress.request.too-many-requests", "1");
        long bytes = 0;
        for (int minute = 0; minute < 60; minute++) {
            pass(Duration.ofMinutes(1));
            before = lines.size();
            assertThat(spendWhatIsAllowed()).isCompletedExceptionally();
            bytes += (lines.size() - before) * (long) AuditLine.bytesAbout(request("0".repeat(16)));
        }
        assertThat(bytes).isBetween(50L << 20, 60L << 20);
    }

    @Test
    void howAnAllowedThingEndedIsAlwaysWrittenAndPaidFor() {
        assertThat(spendWhatIsAllowed()).isCompletedExceptionally();
        int before = lines.size();
        for (String kind : List.of("egress.end", "git.push-result")) {
            for (int i = 0; i < 1_000; i++) {
                assertThat(recorder.record(new AuditEvent(kind, SESSION, "", Map.of())))
                        .isCompletedWithValue(null);
            }
        }
        assertThat(lines).hasSize(before + 2_000);
        pass(Duration.ofSeconds(29));
        assertThat(recorder.record(request("f"))).isCompletedExceptionally();
        pass(Duration.ofSeconds(31));
        assertThat(recorder.record(request("f"))).isCompletedWithValue(null);
    }

    @Test
    void whatCannotBeToldIsToldLater() {
        deny("http.refused", "no-such-endpoint", 1_000);
        broken = true;
        AuditEvent lost = new AuditEvent("http.refused", SESSION, "deny", Map.of());
        pass(Duration.ofMinutes(10));
        assertThat(recorder.record(lost)).isCompletedExceptionally();
        broken = false;
        recorder.end(SESSION);
        assertThat(told()).isEqualTo(1_001);
    }

    @Test
    void manyReasonsFitOneLine() {
        deny("http.refused", "first", 1_000);
        for (int i = 0; i < 100; i++) {
            deny("http.refused", "reason" + i, 1);
        }
        recorder.end(SESSION);
        assertThat(told()).isEqualTo(1_100);
        assertThat(lines.getLast().detail()).containsKey("other");
    }
}

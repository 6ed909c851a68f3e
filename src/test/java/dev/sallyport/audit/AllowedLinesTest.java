package dev.sallyport.audit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// A busy session is not refused for what it reads, cannot flood the record with it, and cannot
/// hide anything else behind it.
class AllowedLinesTest {
    private static final String SESSION = "0123456789abcdef";
    private static final String PATH = "p".repeat(150);
    private static final int BUSY = 200_000;

    private final List<AuditEvent> lines = new ArrayList<>();
    private final AtomicLong nanos = new AtomicLong();
    private final ThinnedRecorder recorder = new ThinnedRecorder(this::write, nanos::get);
    private CompletableFuture<Void> answer = CompletableFuture.completedFuture(null);
    private long ids;

    private CompletableFuture<Void> write(AuditEvent event) {
        if (!answer.isCompletedExceptionally()) {
            lines.add(event);
        }
        return answer;
    }

    @BeforeEach
    void begin() {
        recorder.begin(SESSION);
    }

    private AuditEvent event(String host, String method, String rule) {
        ids++;
        Map<String, String> detail =
                Map.of(
                        "id", HexFormat.of().toHexDigits(ids),
                        "host", host,
                        "method", method,
                        "path", PATH,
                        "rule", rule);
        return new AuditEvent("egress.request", SESSION, "allow", detail);
    }

    private CompletableFuture<Void> read(String host) {
        return recorder.recordRead(event(host, "GET", "policy.yaml:1"));
    }

    /// More than the allowance has lines for.
    private void beBusy() {
        for (int i = 0; i < BUSY; i++) {
            if (read("a.example").isCompletedExceptionally()) {
                throw new AssertionError("read " + i + " was refused");
            }
        }
        assertThat(lines).hasSizeLessThan(BUSY);
    }

    private void pass(Duration time) {
        for (long second = 0; second < time.toSeconds(); second++) {
            nanos.addAndGet(Duration.ofSeconds(1).toNanos());
            recorder.tellWhatIsDue();
        }
    }

    private List<AuditEvent> summaries() {
        return lines.stream().filter(line -> line.kind().equals("audit.thinned")).toList();
    }

    private long counted() {
        return summaries().stream()
                .mapToLong(line -> Long.parseLong(line.detail().getOrDefault("count", "0")))
                .sum();
    }

    @Test
    void readsAboveTheAllowanceAreAnnouncedOnceCountedAndTold() {
        beBusy();
        AuditEvent last = lines.getLast();
        assertThat(last.detail()).containsEntry("further", "counted");
        assertThat(lines.stream().filter(line -> line.detail().containsKey("further"))).hasSize(1);
        int before = lines.size();
        assertThat(read("b.example")).isCompletedWithValue(null);
        assertThat(lines.getLast().detail())
                .as("another place has its own announcement")
                .containsEntry("host", "b.example")
                .containsEntry("further", "counted");
        var _ = read("b.example");
        var _ = read("b.example");

        pass(Duration.ofSeconds(29));
        assertThat(summaries()).isEmpty();
        pass(Duration.ofSeconds(1));

        AuditEvent told = lines.getLast();
        assertThat(told.kind()).isEqualTo("audit.thinned");
        assertThat(told.decision()).isEqualTo("allow");
        assertThat(told.detail())
                .containsEntry("count", Integer.toString(BUSY - before + 2))
                .containsEntry("read-1", (BUSY - before) + " a.example")
                .containsEntry("read-2", "2 b.example")
                .containsEntry("first-id", "%016x".formatted(before + 1))
                .containsEntry("last-id", "%016x".formatted(BUSY + 3))
                .containsKeys("from", "to");
        pass(Duration.ofMinutes(5));
        assertThat(summaries()).as("once is enough").hasSize(1);
    }

    @Test
    void whatChangesSomethingAlwaysHasItsLine() {
        beBusy();
        for (String method : List.of("POST", "PUT", "PATCH", "DELETE")) {
            AuditEvent write = event("a.example", method, "policy.yaml:1");
            assertThat(recorder.record(write)).isCompletedWithValue(null);
            assertThat(lines.getLast()).isEqualTo(write);
        }
        for (String kind : List.of("git.push", "egress.connect")) {
            AuditEvent opened = new AuditEvent(kind, SESSION, "allow", Map.of());
            assertThat(recorder.record(opened)).isCompletedWithValue(null);
            assertThat(lines.getLast()).isEqualTo(opened);
        }
    }

    @Test
    void theFirstUseOfARuleAndItsSecretHasItsLine() {
        beBusy();
        for (int i = 0; i < 50; i++) {
            var _ = read("host%d.example".formatted(i));
        }
        AuditEvent first = event("a.example", "GET", "policy.yaml:2");
        int before = lines.size();
        var _ = recorder.recordRead(first);
        assertThat(lines).hasSize(before + 1);
        assertThat(lines.getLast().detail()).containsEntry("id", first.detail().get("id"));
        var _ = recorder.recordRead(event("a.example", "GET", "policy.yaml:2"));
        assertThat(lines).hasSize(before + 1);
    }

    /// Under a rule for many hosts, the name of a host says as much as a path.
    @Test
    void noHostIsReadWithoutBeingNamed() {
        beBusy();
        for (int i = 0; i < 200; i++) {
            String host = "host%d.example".formatted(i);
            assertThat(read(host)).isCompletedWithValue(null);
            assertThat(lines.getLast().detail()).containsEntry("host", host);
        }
        int refused = 0;
        for (int i = 0; i < BUSY; i++) {
            String host = "more%d.example".formatted(i);
            CompletableFuture<Void> read = read(host);
            if (read.isCompletedExceptionally()) {
                refused++;
            } else {
                assertThat(lines.getLast().detail()).containsEntry("host", host);
            }
        }
        assertThat(refused).as("no room, no read").isPositive();
        assertThat(read("a.example")).as("what is counted goes on").isCompletedWithValue(null);
    }

    @Test
    void nothingIsReadBeforeItsCountIsAnnounced() {
        beBusy();
        answer = new CompletableFuture<>();
        CompletableFuture<Void> announced = read("b.example");
        CompletableFuture<Void> behind = read("b.example");
        assertThat(announced).isNotDone();
        assertThat(behind).isNotDone();
        answer.completeExceptionally(new IOException("broken"));
        assertThat(behind).isCompletedExceptionally();
        assertThat(read("b.example")).as("no line, no read").isCompletedExceptionally();
        answer = CompletableFuture.completedFuture(null);
        assertThat(read("b.example")).isCompletedWithValue(null);
        assertThat(lines.getLast().detail()).containsEntry("further", "counted");
    }

    @Test
    void aCountThatCannotBeToldIsToldLater() {
        beBusy();
        int before = lines.size();
        answer = CompletableFuture.failedFuture(new IOException("broken"));
        pass(Duration.ofSeconds(31));
        assertThat(lines).hasSize(before);
        answer = CompletableFuture.completedFuture(null);
        pass(Duration.ofSeconds(31));
        assertThat(counted()).isEqualTo(BUSY - before);
    }

    @Test
    void i17_anHourOfReadsStaysSmallAndNoneIsForgotten() {
        beBusy();
        long reads = BUSY;
        for (int minute = 0; minute < 60; minute++) {
            for (int i = 0; i < 600; i++) {
                var _ = read("host%d.example".formatted(i % 100));
            }
            reads += 600;
            pass(Duration.ofMinutes(1));
        }
        recorder.end(SESSION);
        long bytes = 0;
        for (AuditEvent line : lines) {
            bytes += AuditLine.encode(1, Instant.EPOCH, line, AuditLine.FIRST_PREV).length;
        }
        assertThat(bytes).isLessThan(90L << 20);
        assertThat(lines.size() - summaries().size() + counted()).isEqualTo(reads);
        assertThat(summaries()).allMatch(line -> line.detail().size() <= AuditEvent.DETAILS_MAX);
    }
}

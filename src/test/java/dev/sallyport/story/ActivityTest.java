package dev.sallyport.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.audit.AuditLine;
import dev.sallyport.audit.Stamp;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// What the page tells of the record.
class ActivityTest {
    private static final Instant NOW = Instant.parse("2026-01-31T12:00:30Z");

    private final Activity activity = new Activity();
    private long seq;

    private void add(Duration ago, String kind, String decision, String... facts) {
        Map<String, String> detail = new TreeMap<>();
        for (int i = 0; i < facts.length; i += 2) {
            detail.put(facts[i], facts[i + 1]);
        }
        AuditEvent event = new AuditEvent(kind, "abc", decision, detail);
        activity.add(new AuditLine(++seq, NOW.minus(ago), event, Stamp.NONE, "p", "h"), NOW);
    }

    private void push(String id, String reason) {
        add(
                Duration.ofDays(2),
                "git.push",
                reason.isEmpty() ? "allow" : "deny",
                "id",
                id,
                "repo",
                "github.com/acme/app",
                "ref-1",
                "refs/heads/main",
                "reason-1",
                reason);
    }

    @Test
    void pushesAreToldWithTheirVerdictAndWhatTheGitHostSaid() {
        add(Duration.ofDays(3), "session.create", "", "sandbox", "box");
        push("1", "ref-not-allowed");
        push("2", "");
        push("3", "");
        add(Duration.ZERO, "git.push-result", "", "id", "2", "taken", "1", "refused", "0");
        add(Duration.ZERO, "git.push-result", "", "id", "3", "taken", "0", "refused", "1");

        assertThat(activity.view(NOW).pushes())
                .extracting(
                        Activity.Push::sandbox, Activity.Push::decision, Activity.Push::upstream)
                .containsExactly(
                        tuple("box", "allow", "refused"),
                        tuple("box", "allow", "taken"),
                        tuple("box", "deny", ""));
        assertThat(activity.view(NOW).pushes().getLast().sentence()).contains("not allowed");
    }

    @Test
    void trafficIsOfTheLastDayAndItsBarsAreWhereItsTimesAre() {
        add(Duration.ofHours(25), "egress.connect", "allow", "host", "a.example");
        add(Duration.ofHours(2), "egress.connect", "allow", "host", "a.example");
        add(Duration.ofMinutes(3), "egress.connect", "deny", "host", "a.example");
        add(Duration.ZERO, "git.request", "allow", "repo", "github.com/acme/app");
        add(
                Duration.ZERO,
                "egress.end",
                "",
                "host",
                "a.example",
                "bytes-up",
                "7",
                "bytes-down",
                "x");

        Activity.HostTraffic.View use = activity.view(NOW).hosts().getFirst();
        assertThat(use.host()).isEqualTo("a.example");
        assertThat(use.allowed()).isEqualTo(1);
        assertThat(use.denied()).isEqualTo(1);
        assertThat(use.bytesUp()).isEqualTo(7);
        assertThat(use.bytesDown()).isZero();
        assertThat(use.minutes()).hasSize(60);
        assertThat(use.minutes().get(56)).isEqualTo(1);
        assertThat(use.hours().get(21)).isEqualTo(1);
        assertThat(activity.view(NOW).hosts().getLast().host()).isEqualTo("github.com");
    }

    @Test
    void whatASandboxMakesUpIsBounded() {
        for (int i = 0; i < 3_000; i++) {
            add(Duration.ZERO, "dns.denied", "deny", "name", "n" + i + ".example", "reason", "x");
            push(String.valueOf(i), "");
        }
        Activity.View view = activity.view(NOW);
        assertThat(view.hosts()).hasSizeLessThanOrEqualTo(Activity.HOSTS_MAX);
        assertThat(view.pushes()).hasSize(Activity.PUSHES_MAX);
        var denials = view.sandboxes().getFirst().denials();
        assertThat(denials).hasSize(Activity.DENIALS_MAX);
        assertThat(denials.getLast().count()).as("further ones, in sum").isEqualTo(2_000);
        assertThat(view.sandboxes().getFirst().denied()).isEqualTo(3_000);
    }

    @Test
    void aLineThatComesTwiceCountsOnce() {
        AuditEvent event = new AuditEvent("dns.denied", "abc", "deny", Map.of("name", "a.example"));
        AuditLine line = new AuditLine(9, NOW, event, Stamp.NONE, "p", "h");
        activity.add(line, NOW);
        activity.add(line, NOW);
        assertThat(activity.view(NOW).sandboxes().getFirst().denied()).isEqualTo(1);
    }
}

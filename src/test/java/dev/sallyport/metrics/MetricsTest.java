package dev.sallyport.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.channel.Figure;
import dev.sallyport.http.RefusalLog;
import dev.sallyport.policy.Refusal;
import dev.sallyport.session.RequestTimes;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class MetricsTest {
    private final AtomicLong clock = new AtomicLong();
    private final Metrics metrics = new Metrics(() -> Map.of("running", 2L), () -> 1L, clock::get);

    private static AuditEvent event(String kind, String decision, Map<String, String> detail) {
        return new AuditEvent(kind, "00000000000000aa", decision, detail);
    }

    private static List<Long> figures(long value) {
        return Collections.nCopies(Figure.values().length, value);
    }

    private static List<Long> requests(long value) {
        return Collections.nCopies(RequestTimes.CLASSES_MILLIS.size() + 1, value);
    }

    @Test
    void decisionsAreCountedByDoorAndReasonFromTheBeginning() {
        metrics.recorded(event("git.push", "deny", Map.of("reason-1", "branch-not-allowed")));
        metrics.recorded(event("git.push", "deny", Map.of("reason-1", "branch-not-allowed")));
        metrics.recorded(event("egress.request", "allow", Map.of("host", "a.example")));
        metrics.recorded(
                event(
                        "audit.thinned",
                        "deny",
                        Map.of("count", "40", "dns.denied.host-not-allowed", "40")));
        String text = metrics.text();
        String reason =
                Refusal.of("branch-not-allowed").isPresent() ? "branch-not-allowed" : "other";
        assertThat(text)
                .contains(
                        "sallyport_decisions_total{decision=\"deny\",door=\"git\",reason=\"%s\"} 2.0"
                                .formatted(reason))
                .contains(
                        "sallyport_decisions_total{decision=\"allow\",door=\"egress\",reason=\"none\"} 1.0")
                .containsPattern(
                        "sallyport_decisions_total\\{decision=\"deny\",door=\"dns\",.*\\} 40.0")
                .contains("sallyport_sandboxes{state=\"running\"} 2.0")
                .contains("sallyport_gateway_restarts_total 1.0")
                .doesNotContain("a.example");
    }

    @Test
    void timesAndSizesAreHistogramsFromTheFirstLookOn() {
        metrics.text();
        metrics.recorded(event("git.request", "allow", Map.of("id", RefusalLog.newId())));
        metrics.recorded(event("egress.end", "", Map.of("bytes-up", "500", "bytes-down", "5000")));
        metrics.told(figures(7), requests(3));
        metrics.wrote(2_000_000);
        assertThat(metrics.text())
                .contains("sallyport_decision_seconds_count{door=\"git\"} 1")
                .contains(
                        "sallyport_moved_bytes_bucket{direction=\"up\",door=\"egress\",le=\"1000.0\"} 1")
                .contains(
                        "sallyport_moved_bytes_bucket{direction=\"down\",door=\"egress\",le=\"1000.0\"} 0")
                .contains("sallyport_request_seconds_bucket{le=\"0.001\"} 3")
                .contains("sallyport_record_write_seconds_count 1")
                .contains("sallyport_gateway_connections_max 7.0");
    }

    @Test
    void aGatewayThatTellsTooOftenIsNotHeard() {
        metrics.text();
        metrics.told(figures(7), requests(3));
        metrics.told(figures(9), requests(3));
        assertThat(metrics.text())
                .contains("sallyport_request_seconds_bucket{le=\"0.001\"} 3")
                .contains("sallyport_gateway_connections_max 7.0");
        clock.addAndGet(1_000_000_000);
        metrics.told(figures(9), requests(3));
        assertThat(metrics.text())
                .contains("sallyport_request_seconds_bucket{le=\"0.001\"} 6")
                .contains("sallyport_gateway_connections_max 9.0");
    }

    /// Whatever a sandbox asks for, and whatever a gateway that was taken over says.
    @Test
    void hostileInputDoesNotMakeSeries() {
        Random random = new Random(5);
        metrics.text();
        long before = 0;
        for (int i = 0; i < 40_000; i++) {
            String word = Long.toString(random.nextLong(), 36).replace("-", "x");
            String[] kinds = {
                "git.request", "dns.denied", "egress.request", "x" + letters(word) + ".y"
            };
            metrics.recorded(
                    event(
                            kinds[i % kinds.length],
                            List.of("allow", "deny", "learned", "").get(random.nextInt(4)),
                            Map.of(
                                    "reason", word,
                                    "host", word + ".example",
                                    "id", word,
                                    "bytes-up", word,
                                    "door", word)));
            metrics.recorded(event("audit.thinned", "deny", Map.of("a." + word, word)));
            before = i == 20_000 ? series() : before;
        }
        metrics.told(List.of(1L, 2L), List.of());
        metrics.told(figures(Long.MIN_VALUE), requests(Long.MAX_VALUE));
        assertThat(series()).isEqualTo(before).isLessThan(400);
    }

    private static String letters(String word) {
        return word.replaceAll("[^a-z]", "");
    }

    private long series() {
        return metrics.text().lines().filter(line -> !line.startsWith("#")).count();
    }

    @Test
    void allReasonsTogetherAreFew() {
        for (Refusal refusal : Refusal.values()) {
            for (String door : List.of("git", "lfs", "api", "dns", "http", "egress", "port")) {
                metrics.recorded(event(door + ".x", "deny", Map.of("reason", refusal.code())));
            }
        }
        assertThat(series()).isLessThan(200 + 7L * Refusal.values().length);
        assertThat(Arrays.stream(Refusal.values()).map(Refusal::code))
                .allMatch(code -> metrics.text().contains("reason=\"" + code + "\""));
    }
}

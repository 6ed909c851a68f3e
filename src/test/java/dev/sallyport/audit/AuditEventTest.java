package dev.sallyport.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AuditEventTest {
    @Test
    void refusesWhatCouldNotBeReadBack() {
        refused("", "", "", Map.of());
        refused("Git.Request", "", "", Map.of());
        refused("a.".repeat(50_000) + "b", "", "", Map.of());
        refused("git.request", "a b", "", Map.of());
        refused("git.request", "x".repeat(65), "", Map.of());
        refused("git.request", "", "maybe", Map.of());
        refused("git.request", "", "", Map.of("a\nb", "c"));
        refused("git.request", "", "", Map.of("k".repeat(65), "c"));
    }

    private static void refused(
            String kind, String session, String decision, Map<String, String> detail) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new AuditEvent(kind, session, decision, detail));
    }

    @Test
    void boundsValuesAndStaysTheSameWhenBoundedAgain() {
        AuditEvent once = new AuditEvent("a.b", "", "", Map.of("k", "x".repeat(9_999)));
        assertThat(once.detail().get("k")).hasSize(512).endsWith("…");
        assertThat(new AuditEvent("a.b", "", "", once.detail())).isEqualTo(once);
    }

    @Test
    void fitsIntoALineAtItsLargest() {
        Map<String, String> detail = new HashMap<>();
        for (int i = 0; i < AuditEvent.DETAILS_MAX; i++) {
            detail.put("k".repeat(60) + i, "\u0000".repeat(9_999));
        }
        AuditEvent event = new AuditEvent("a." + "b".repeat(62), "s".repeat(64), "deny", detail);
        byte[] line = AuditLine.encode(Long.MAX_VALUE, Instant.MAX, event, AuditLine.FIRST_PREV);
        assertThat(line.length).isLessThan(AuditLine.BYTES_MAX);
    }
}

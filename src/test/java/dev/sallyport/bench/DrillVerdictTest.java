package dev.sallyport.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class DrillVerdictTest {
    private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");

    private static Arrivals.Arrival arrival(String number, String from) {
        return new Arrivals.Arrival(number, from, NOON);
    }

    private static DrillVerdict.Recorded line(String number, String gateway, long millis) {
        return new DrillVerdict.Recorded(number, gateway, NOON.plusMillis(millis));
    }

    @Test
    void whatWasAllowedOnceBeforeItArrivedIsFine() {
        DrillVerdict verdict =
                new DrillVerdict(
                        List.of(arrival("one-1", "a"), arrival("one-2", "b")),
                        List.of(
                                line("one-1", "a", -5),
                                line("one-2", "b", 0),
                                line("one-3", "b", 0)));

        assertThat(verdict.unrecorded()).isEmpty();
        assertThat(verdict.twice()).isEmpty();
        assertThat(verdict.repeated()).isEmpty();
        assertThat(verdict.neverSent()).isEqualTo(1);
    }

    @Test
    void findsWhatWasRecordedLateOrElsewhereOrNotAtAll() {
        DrillVerdict verdict =
                new DrillVerdict(
                        List.of(
                                arrival("late", "a"),
                                arrival("elsewhere", "a"),
                                arrival("never", "a")),
                        List.of(line("late", "a", 1), line("elsewhere", "b", -1)));

        assertThat(verdict.unrecorded())
                .containsExactly("late from a", "elsewhere from a", "never from a");
    }

    @Test
    void findsWhatTwoGatewaysHaveAllowedOrSent() {
        DrillVerdict verdict =
                new DrillVerdict(
                        List.of(arrival("sent", "a"), arrival("sent", "b"), arrival("ok", "a")),
                        List.of(
                                line("allowed", "a", 0),
                                line("allowed", "b", 0),
                                line("ok", "a", 0)));

        assertThat(verdict.twice()).hasSize(2).noneMatch(found -> found.startsWith("ok"));
        assertThat(verdict.repeated()).containsExactly("sent");
    }
}

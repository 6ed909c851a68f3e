package dev.sallyport.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// When a session is over, whatever the clocks do.
class LifetimeTest {
    private static final Instant WALL = Instant.parse("2026-01-01T00:00:00Z");
    private static final Moment BEGIN = new Moment(WALL, "boot", Duration.ofHours(5));
    private static final Lifetime FRESH =
            Lifetime.starting(BEGIN, Duration.ofHours(24), Duration.ofDays(7), Duration.ofDays(30));

    private static Moment after(Duration time) {
        return new Moment(WALL.plus(time), "boot", BEGIN.uptime().plus(time));
    }

    private static Moment after(Duration onTheWall, Duration sinceBoot) {
        return new Moment(WALL.plus(onTheWall), "boot", BEGIN.uptime().plus(sinceBoot));
    }

    private static Moment rebooted(Duration onTheWall, Duration uptime) {
        return new Moment(WALL.plus(onTheWall), "next boot", uptime);
    }

    @Test
    void endsAfterRestOrAtTheLatestAbsolutely() {
        assertThat(FRESH.isOver(after(Duration.ofHours(24).minusMillis(1)))).isFalse();
        assertThat(FRESH.isOver(after(Duration.ofHours(24)))).isTrue();
        Lifetime busy = FRESH.usedAt(after(Duration.ofDays(7).minusSeconds(1)));
        assertThat(busy.isOver(after(Duration.ofDays(7).minusMillis(1)))).isFalse();
        assertThat(busy.isExpired(after(Duration.ofDays(7)))).isTrue();
    }

    @Test
    void aWallClockThatIsSetBackGivesNoTimeBack() {
        Moment setBack = after(Duration.ofDays(-300), Duration.ofHours(24));
        assertThat(FRESH.isOver(setBack)).isTrue();
        assertThat(FRESH.isOver(after(Duration.ofDays(-300), Duration.ofHours(23)))).isFalse();
        Lifetime used = FRESH.usedAt(after(Duration.ofDays(-300), Duration.ofHours(2)));
        assertThat(used.lastUsed()).isEqualTo(WALL.plus(Duration.ofHours(2)));
        assertThat(used.isOver(after(Duration.ofDays(-300), Duration.ofHours(25)))).isFalse();
        assertThat(used.isOver(after(Duration.ofDays(-300), Duration.ofHours(26)))).isTrue();
    }

    @Test
    void aWallClockThatIsSetForwardEndsItAndSettingItBackDoesNotReviveIt() {
        Moment forward = after(Duration.ofDays(2), Duration.ofMinutes(1));
        assertThat(FRESH.isOver(forward)).isTrue();
        Lifetime seen = FRESH.seenAt(forward);
        assertThat(seen.isOver(after(Duration.ofMinutes(2)))).isTrue();
    }

    @Test
    void aSuspendedMachineIsNotAPause() {
        Moment woken = after(Duration.ZERO, Duration.ofHours(24));
        assertThat(FRESH.isOver(woken)).isTrue();
    }

    @Test
    void afterARebootTheWallClockDecidesButNotAgainstWhatWasSeen() {
        Lifetime seen = FRESH.seenAt(after(Duration.ofHours(20)));
        assertThat(seen.isOver(rebooted(Duration.ofHours(23), Duration.ZERO))).isFalse();
        assertThat(seen.isOver(rebooted(Duration.ofHours(24), Duration.ZERO))).isTrue();
        Lifetime behind = seen.seenAt(rebooted(Duration.ofDays(-300), Duration.ofMinutes(1)));
        Duration fourHours = Duration.ofHours(4).plusMinutes(1);
        assertThat(behind.isOver(rebooted(Duration.ofDays(-300), fourHours.minusSeconds(1))))
                .isFalse();
        assertThat(behind.isOver(rebooted(Duration.ofDays(-300), fourHours))).isTrue();
    }

    @Test
    void anExtensionNeverGoesBeyondTheLatestEndAndNeverShortens() {
        Moment now = after(Duration.ofHours(1));
        assertThat(FRESH.extended(now, Duration.ofDays(10)).expires())
                .isEqualTo(WALL.plus(Duration.ofDays(10)).plus(Duration.ofHours(1)));
        assertThat(FRESH.extended(now, Duration.ofDays(99)).expires())
                .isEqualTo(WALL.plus(Duration.ofDays(30)));
        Lifetime shorter = FRESH.extended(now, Duration.ofHours(1));
        assertThat(shorter.expires()).isEqualTo(FRESH.expires());
        assertThat(shorter.idleEnd()).isEqualTo(WALL.plus(Duration.ofHours(25)));
    }

    @Test
    void itsEndIsAnnouncedInTheLastTenthOrHalfHour() {
        assertThat(FRESH.isClosing(after(Duration.ofHours(21)))).isFalse();
        assertThat(FRESH.isClosing(after(Duration.ofHours(22)))).isTrue();
        Lifetime brief =
                Lifetime.starting(
                        BEGIN, Duration.ofHours(1), Duration.ofHours(1), Duration.ofHours(1));
        assertThat(brief.isClosing(after(Duration.ofMinutes(29)))).isFalse();
        assertThat(brief.isClosing(after(Duration.ofMinutes(31)))).isTrue();
    }

    @Test
    void theMachineTellsBothTimes() {
        Moment first = Moment.now();
        Moment second = Moment.now();
        assertThat(second.boot()).isEqualTo(first.boot()).isNotEmpty();
        assertThat(second.uptime()).isGreaterThanOrEqualTo(first.uptime()).isPositive();
    }

    @Test
    void aCapIsReachedByExactlyWhatItAllows() {
        Caps caps = new Caps(Optional.of(10L), Optional.of(1_000L), Optional.of(2L));
        assertThat(caps.reached(new Usage(9, 400, 599, 1))).isEmpty();
        assertThat(caps.reached(new Usage(10, 0, 0))).contains("10 of 10 requests");
        assertThat(caps.reached(new Usage(0, 400, 600))).contains("1000 of 1000 bytes");
        assertThat(caps.reached(new Usage(1, 1, 1, 2))).contains("2 of 2 pushes");
        assertThat(caps.reached(Usage.UNKNOWN)).isPresent();
        assertThat(caps.closing(new Usage(9, 0, 0))).containsExactly("9 of 10 requests");
        assertThat(Caps.NONE.reached(Usage.UNKNOWN)).isEmpty();
        assertThat(Caps.NONE.closing(Usage.UNKNOWN)).isEmpty();
    }
}

package dev.sallyport.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class StampTest {
    private static final Instant NOON = Instant.parse("2026-01-31T12:00:00.5Z");
    private static final AuditEvent EVENT =
            new AuditEvent(
                    "git.request",
                    "0123456789abcdef",
                    "deny",
                    Map.of("id", id(NOON.toEpochMilli() - 40), "repo", "github.com/acme/app"));

    private static String id(long millis) {
        return "%016x".formatted(millis << 20 | 77);
    }

    private static byte[] line(Stamp stamp) {
        ChainedLines lines = new ChainedLines();
        lines.begin(AuditLine.FIRST_PREV, NOON);
        lines.add(7, EVENT, stamp);
        return Arrays.copyOf(lines.bytes(), lines.length() - 1);
    }

    @Test
    void aLineTellsWhoseItIsAndHowLongItTook() throws IOException {
        Stamp stamp = new Stamp("fix", "docker:3f29c1d0a4b7", "9c1185a5c5e9fc54f00d");
        AuditLine read = AuditLine.decode(line(stamp));
        assertThat(read.stamp()).isEqualTo(stamp);
        assertThat(read.stamp().policy()).as("the first digits").isEqualTo("9c1185a5c5e9fc54");
        assertThat(read.event()).isEqualTo(EVENT);
        assertThat(read.sandbox()).isEqualTo("fix");
        assertThat(read.door()).isEqualTo("git");
        assertThat(read.millis()).hasValue(40);
        assertThat(new String(line(stamp), StandardCharsets.US_ASCII))
                .contains(
                        "\"session\":\"0123456789abcdef\",\"sandbox\":\"fix\",\"runtime\":\"docker:3f29c1d0a4b7\",\"policy\":\"9c1185a5c5e9fc54\",\"decision\":\"deny\"");
    }

    @Test
    void aLineThatIsOlderThanStampsIsReadAsBefore() throws IOException {
        AuditLine read = AuditLine.decode(AuditLine.encode(7, NOON, EVENT, AuditLine.FIRST_PREV));
        assertThat(read.stamp()).isEqualTo(Stamp.NONE);
        assertThat(read.event()).isEqualTo(EVENT);
        assertThat(read.sandbox()).isEmpty();
    }

    @Test
    void aStampIsPartOfWhatIsProven() {
        String text = new String(line(new Stamp("fix", "docker", "9c")), StandardCharsets.US_ASCII);
        byte[] other = text.replace("\"fix\"", "\"fox\"").getBytes(StandardCharsets.US_ASCII);
        assertThatThrownBy(() -> AuditLine.decode(other))
                .hasMessageContaining("its hash does not fit");
    }

    @Test
    void nothingInAStampNeedsAnEscape() {
        for (String bad : new String[] {"a\"", "a\\", "a\nb", "ü", "a".repeat(65)}) {
            assertThatThrownBy(() -> new Stamp(bad, "", ""))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void theTimeOfALineIsWrittenAsAnInstantIs() {
        ChainedLines lines = new ChainedLines();
        Instant second = Instant.parse("2026-11-17T18:23:06Z");
        for (Instant time :
                List.of(
                        second,
                        second.plusNanos(1_000),
                        second.plusNanos(999_999_000),
                        second.plusMillis(20),
                        second.plusNanos(123_456_789),
                        second.plusSeconds(1).plusNanos(45_678_000),
                        second.plusNanos(45_678_000),
                        Instant.ofEpochSecond(-2, 5_000),
                        Instant.parse("+12026-01-01T00:00:00.000321Z"))) {
            lines.begin(AuditLine.FIRST_PREV, time);
            lines.add(1, new AuditEvent("git.request", "", "allow", Map.of()));
            assertThat(new String(lines.bytes(), 0, lines.length(), StandardCharsets.US_ASCII))
                    .contains("\"time\":\"" + time + "\"");
        }
    }
}

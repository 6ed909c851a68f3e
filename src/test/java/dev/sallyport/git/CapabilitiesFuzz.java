package dev.sallyport.git;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.RefusedException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Set;

final class CapabilitiesFuzz {
    /// Written down a second time on purpose: the code's own list cannot vouch for itself.
    static final List<String> ALLOWED =
            List.of(
                    "report-status",
                    "report-status-v2",
                    "delete-refs",
                    "side-band-64k",
                    "quiet",
                    "atomic",
                    "ofs-delta",
                    "object-format=sha1",
                    "push-options",
                    "agent=sallyport/0.1");

    private interface Reading {
        Set<String> read(String text) throws RefusedException;
    }

    @FuzzTest
    void agreesOnNothingThatIsNotOnTheList(byte[] input) {
        String text = new String(input, StandardCharsets.UTF_8);
        check(words -> Capabilities.requested(words, true), text, Refusal.MALFORMED_PUSH)
                .ifPresent(wanted -> assertThat(Set.copyOf(ALLOWED)).containsAll(wanted));
        check(words -> Capabilities.offered(words, true), text, Refusal.UPSTREAM_MISBEHAVED)
                .ifPresent(
                        offer -> {
                            assertThat(offer).contains("report-status", "no-thin");
                            offer.remove("no-thin");
                            assertThat(Set.copyOf(ALLOWED)).containsAll(offer);
                        });
    }

    /// Reads, and reads what came of it once more.
    private static Optional<Set<String>> check(Reading reading, String text, Refusal blame) {
        try {
            Set<String> words = reading.read(text);
            assertThat(reading.read(String.join(" ", words))).isEqualTo(words);
            return Optional.of(words);
        } catch (RefusedException e) {
            assertThat(e.refusal().fault()).isEqualTo(blame.fault());
            return Optional.empty();
        }
    }
}

package dev.sallyport.push;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/// G8: whoever fills a file with keywords makes the scan slower by a constant, not by more.
/// Measured against ordinary text in the same run.
final class SecretScanCostTest {
    private static final long BYTES = 50L << 20;
    private static final int RATIO_MAX = 400;

    private static final String ORDINARY =
            "The quick brown fox jumps over the lazy dog; a function returns what it was given.\n";

    /// The same text again and again.
    private static final class Repeated extends InputStream {
        private final byte[] text;
        private long left;
        private int at;

        Repeated(String text, long bytes) {
            this.text = text.getBytes(StandardCharsets.ISO_8859_1);
            this.left = bytes;
        }

        @Override
        public int read() {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] into, int offset, int length) {
            int n = (int) Math.min(Math.min(length, text.length - at), left);
            if (n == 0) {
                return -1;
            }
            System.arraycopy(text, at, into, offset, n);
            at = (at + n) % text.length;
            left -= n;
            return n;
        }
    }

    private static double seconds(String text) throws IOException {
        long start = System.nanoTime();
        SecretScanner.standard().find(new Repeated(text, BYTES));
        return (System.nanoTime() - start) / 1e9;
    }

    @Test
    void g8_keywordsEverywhereCostAConstantFactor() throws IOException {
        String ordinary = ORDINARY.repeat(800);
        seconds(ordinary);
        double base = seconds(ordinary);
        String all =
                SecretScanner.standard().rules().stream()
                        .flatMap(rule -> rule.keywords().stream())
                        .collect(Collectors.joining(""));
        List<String> hostile = List.of("ghp_\n", "token", all);
        StringBuilder figures = new StringBuilder();
        for (String text : hostile) {
            double ratio = seconds(text.repeat(1 + 65_536 / text.length())) / base;
            String name = text.substring(0, Math.min(20, text.length())).strip();
            figures.append(name).append(' ').append(Math.round(ratio)).append('\n');
            assertThat(ratio)
                    .as("%.2f s for ordinary text; %s", base, figures)
                    .isLessThan(RATIO_MAX);
        }
    }

    @Test
    void g9_whatIsTooDearToReadIsReported() throws IOException {
        String all =
                SecretScanner.standard().rules().stream()
                        .flatMap(rule -> rule.keywords().stream())
                        .collect(Collectors.joining(" "));
        assertThat(SecretScanner.standard().find(new Repeated(all, BYTES)))
                .extracting(SecretFinding::rule)
                .containsExactly(SecretScanner.TOO_MANY_SUSPICIONS);
    }
}

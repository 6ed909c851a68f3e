package dev.sallyport.push;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/// G8: whoever fills a file with keywords spends an allowance, and then it is over.
final class SecretScanCostTest {
    private static final long BYTES = 50L << 20;

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

    private static String allKeywords() {
        return SecretScanner.standard().rules().stream()
                .flatMap(rule -> rule.keywords().stream())
                .collect(Collectors.joining(" "));
    }

    @Test
    void g8_g9_whatIsTooDearToReadIsReportedAndNotReadToItsEnd() throws IOException {
        Repeated hostile = new Repeated(allKeywords(), BYTES);
        assertThat(SecretScanner.standard().find(hostile))
                .extracting(SecretFinding::rule)
                .containsExactly(SecretScanner.TOO_MANY_SUSPICIONS);
        assertThat(hostile.left).isPositive();
    }

    @Test
    void ordinaryTextOfTheSameSizeIsReadToItsEnd() throws IOException {
        Repeated ordinary = new Repeated(ORDINARY, BYTES);
        assertThat(SecretScanner.standard().find(ordinary)).isEmpty();
        assertThat(ordinary.left).isZero();
    }
}

package dev.sallyport.push;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class SecretScannerTest {
    private static final SecretScanner SCANNER = SecretScanner.standard();

    private static String token(long seed) {
        return SecretSample.of("ghp_{A36}", seed);
    }

    private static List<SecretFinding> scan(byte[] content) throws IOException {
        return SCANNER.find(new ByteArrayInputStream(content));
    }

    private static List<SecretFinding> scan(String content) throws IOException {
        return scan(content.getBytes(StandardCharsets.ISO_8859_1));
    }

    private static String sha256(String text) throws Exception {
        return HexFormat.of()
                .formatHex(
                        MessageDigest.getInstance("SHA-256")
                                .digest(text.getBytes(StandardCharsets.US_ASCII)));
    }

    @Test
    void saysWhichRuleWhereAndTheFingerprintButNotTheSecret() throws Exception {
        List<SecretFinding> found = scan("a\nb\nx = " + token(1) + "\n" + token(2));
        assertThat(found)
                .containsExactly(
                        new SecretFinding("github-token", 3, sha256(token(1))),
                        new SecretFinding("github-token", 4, sha256(token(2))));
        assertThat(found.toString()).doesNotContain(token(1).substring(8));
    }

    @Test
    void findsASecretWhereverItLiesAndHoweverItIsRead() throws IOException {
        byte[] noise = new byte[200_000];
        new Random(5).nextBytes(noise);
        for (int i = 0; i < noise.length; i++) {
            noise[i] = noise[i] == '\n' ? 0 : noise[i];
        }
        byte[] secret = (" " + token(3) + " ").getBytes(StandardCharsets.US_ASCII);
        for (int at : places()) {
            byte[] content = noise.clone();
            System.arraycopy(secret, 0, content, at, secret.length);
            Arrays.fill(content, 10, 15, (byte) '\n');
            List<SecretFinding> found = scan(content);
            assertThat(found).as("at %d", at).hasSize(1);
            assertThat(found.getFirst().line()).isEqualTo(6);
            assertThat(SCANNER.find(new Dribble(content))).isEqualTo(found);
        }
    }

    /// Around the end of the first buffer, the edges of the first three windows, and the end.
    private static int[] places() {
        int[] edges = {
            8_192, 64_128, 65_536, 65_664, 66_816, 66_944, 131_072, 131_200, 132_352, 199_900
        };
        return Arrays.stream(edges)
                .flatMap(
                        edge -> java.util.stream.IntStream.of(-39, -3, 0, 1, 40).map(d -> edge + d))
                .toArray();
    }

    /// Gives a few bytes at a time.
    private static final class Dribble extends InputStream {
        private final byte[] bytes;
        private int at;

        Dribble(byte[] bytes) {
            this.bytes = bytes;
        }

        @Override
        public int read() {
            return at == bytes.length ? -1 : bytes[at++] & 0xff;
        }

        @Override
        public int read(byte[] into, int offset, int length) {
            int n = Math.min(Math.min(length, 1 + at % 4_000), bytes.length - at);
            System.arraycopy(bytes, at, into, offset, n);
            at += n;
            return n == 0 ? -1 : n;
        }
    }

    @Test
    void findsSecretsCloseTogetherOnOneEndlessLine() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < 15; i++) {
            line.append("token,".repeat(1_000)).append(' ').append(token(i)).append(' ');
        }
        assertThat(scan(line.toString())).hasSize(15).allMatch(f -> f.line() == 1);
    }

    @Test
    void reportsASecretOnceByTheMostTellingRule() throws IOException {
        assertThat(scan("github_token = \"" + token(1) + "\"\n"))
                .extracting(SecretFinding::rule)
                .containsExactly("github-token");
    }

    @Test
    void stopsReadingWhenThereAreFindingsEnough() throws IOException {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 10_000; i++) {
            text.append(token(i)).append('\n');
        }
        byte[] content = text.toString().getBytes(StandardCharsets.US_ASCII);
        ByteArrayInputStream in = new ByteArrayInputStream(content);
        assertThat(SCANNER.find(in)).hasSize(20);
        assertThat(in.available()).isGreaterThan(content.length / 2);
    }

    @Test
    void entropyIsShannons() {
        assertThat(SecretRule.entropyOf("aaaa")).isZero();
        assertThat(SecretRule.entropyOf("abcd")).isEqualTo(2.0);
        assertThat(SecretRule.entropyOf("aabb")).isEqualTo(1.0);
    }

    @Test
    void countsLineEndsInBytesOfAllValues() {
        byte[] bytes = new byte[4_096];
        new Random(7).nextBytes(bytes);
        for (int i = 0; i < bytes.length; i += 3) {
            bytes[i] = (byte) (i % 5 == 0 ? '\n' : '\n' ^ 0x80);
        }
        long count = 0;
        for (int end = 0; end < bytes.length; end++) {
            assertThat(SecretWindow.lineEnds(bytes, end)).isEqualTo(count);
            count += bytes[end] == '\n' ? 1 : 0;
        }
    }

    @Test
    void findsNothingInNothing() throws IOException {
        assertThat(scan("")).isEmpty();
        assertThat(scan(new byte[66_944])).isEmpty();
    }
}

package dev.sallyport.credential;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

final class KnownSecretsTest {
    private static final String TOKEN = "pl4nted+T0ken/with=odd&chars.0042Zq";
    private static final String KEY = "another-key-of-this-session-77";
    private static final KnownSecrets KNOWN =
            KnownSecrets.of(List.of(secret(TOKEN), secret(KEY), secret("short")));

    private static Secret secret(String value) {
        return Secret.of(bytes(value));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void findsEachSecretHoweverItIsWritten() {
        for (String secret : List.of(TOKEN, KEY)) {
            List<String> spellings =
                    List.of(
                            secret,
                            Base64.getEncoder().encodeToString(bytes(secret)),
                            Base64.getEncoder().encodeToString(bytes("git:" + secret)),
                            Base64.getUrlEncoder().encodeToString(bytes("x:" + secret)),
                            HexFormat.of().formatHex(bytes(secret)),
                            HexFormat.of().withUpperCase().formatHex(bytes(secret)),
                            URLEncoder.encode(secret, StandardCharsets.UTF_8),
                            each(secret, "%%%02x"),
                            each(secret, "\\u%04x"),
                            each(secret, "&#%d;"));
            assertThat(spellings).allMatch(KNOWN::isIn);
            assertThat(spellings).allMatch(s -> KNOWN.isIn("refs/heads/" + s + "/x"));
        }
    }

    /// Names of hosts are written in lower case.
    @Test
    void findsOneInAnyCase() {
        assertThat(KNOWN.isIn(TOKEN.toLowerCase(Locale.ROOT) + ".example")).isTrue();
        assertThat(KNOWN.isIn(KEY.toUpperCase(Locale.ROOT))).isTrue();
    }

    private static String each(String text, String format) {
        return text.chars().mapToObj(format::formatted).collect(Collectors.joining());
    }

    @Test
    void findsTheBeginningOfOneWhereATextWasCut() {
        assertThat(KNOWN.isIn("/v1/" + TOKEN.substring(0, 12) + "…")).isTrue();
        assertThat(KNOWN.isIn("/v1/" + TOKEN.substring(0, 12))).isFalse();
        assertThat(KNOWN.isIn("/v1/" + TOKEN.substring(0, 5) + "…")).isFalse();
    }

    /// Also where the character behind it tells that an escape has ended.
    @Test
    void keepsWhatComesBeforeASecretAndNothingBehind() {
        for (String spelling :
                List.of(
                        TOKEN,
                        HexFormat.of().formatHex(bytes(TOKEN)),
                        each(TOKEN, "%%%02x"),
                        each(TOKEN, "&#%d;"),
                        TOKEN.replaceAll("(.{5})", "$1\n"))) {
            assertThat(KNOWN.before("/ä/" + spelling + "/x")).as(spelling).isEqualTo("/ä/");
            assertThat(KNOWN.before(spelling + "/x")).as(spelling).isEmpty();
        }
        assertThat(KNOWN.before("/ä/" + each(TOKEN, "&#%d") + "/x"))
                .isIn("", "/ä/")
                .doesNotContain("&#");
        assertThat(KNOWN.before("/ä/" + TOKEN.substring(0, 12) + "…")).isEqualTo("/ä/");
        assertThat(KNOWN.before("/ä/" + TOKEN.substring(1) + "…"))
                .isEqualTo("/ä/" + TOKEN.substring(1) + "…");
    }

    /// Everybody knows what it begins with, and could blank what comes behind in the record.
    @Test
    void theHeaderOfAWebTokenIsNoSecret() {
        for (String issuer : List.of("", "ghs_123456_")) {
            String header = issuer + "eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.";
            String token = header + "eyJzdWIiOiJwbGFudGVkLXN1YmplY3QtMDA0MiJ9.c2lnbmF0dXJl";
            KnownSecrets known = KnownSecrets.of(List.of(secret(token)));
            assertThat(known.isIn("/v1/" + header + "other/x")).isFalse();
            for (String spelling :
                    List.of(
                            token,
                            HexFormat.of().formatHex(bytes(token)),
                            Base64.getEncoder().encodeToString(bytes("x:" + token)))) {
                assertThat(known.isIn("/v1/" + spelling + "/x")).as(spelling).isTrue();
            }
        }
    }

    /// However it is spelled, as many characters of a secret must be right: with fewer in one
    /// spelling than in another it could be guessed in steps.
    @Test
    void aWholeOneIsTheSameInEverySpelling() {
        String right = TOKEN.substring(0, 28);
        String wrong = TOKEN.substring(0, 26) + "~~";
        for (String text : List.of(right, wrong)) {
            List<String> spellings =
                    List.of(
                            text,
                            Base64.getEncoder().encodeToString(bytes(text + ".")),
                            Base64.getEncoder().encodeToString(bytes("x" + text + "..")),
                            Base64.getEncoder().encodeToString(bytes("xx" + text + "..")),
                            HexFormat.of().formatHex(bytes(text)));
            for (String spelling : spellings) {
                assertThat(KNOWN.isWholeIn("/v1/" + spelling + "/x"))
                        .as(spelling)
                        .isEqualTo(text.equals(right));
            }
        }
        assertThat(KNOWN.isWholeIn("/v1/" + TOKEN.substring(0, 27) + "…")).isFalse();
    }

    @Test
    void leavesEverythingElse() {
        assertThat(KNOWN.isIn("a short path")).isFalse();
        assertThat(KNOWN.isIn("")).isFalse();
        assertThat(KNOWN.isIn("…")).isFalse();
        assertThat(KnownSecrets.of(List.of()).isIn(TOKEN)).isFalse();
    }
}

package dev.sallyport.approval;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// A person is told when they are not shown all of what they are asked about.
final class RequestDigestTest {
    private static final String URL = "https://a.example/x";

    private static Optional<Question.Request> shown(
            byte[] body, String url, Map<String, String> fields) {
        RequestDigest digest = new RequestDigest();
        digest.read(ByteBuffer.wrap(body));
        return digest.request("", "POST", url, url, fields);
    }

    private static Question.Request body(String body) {
        return body(body.getBytes(StandardCharsets.UTF_8));
    }

    private static Question.Request body(byte[] body) {
        return shown(body, URL, Map.of("a", "b")).orElseThrow();
    }

    @Test
    void aTextThatFitsIsShownAsAWhole() {
        assertThat(body("").complete()).isTrue();
        assertThat(body("é\r\n\t\u202e").complete()).isTrue();
        assertThat(body("x".repeat(Question.TEXT_CHARACTERS_MAX)).complete()).isTrue();
    }

    @Test
    void g6_aBodyThatIsCutOrNoTextIsNotComplete() {
        assertThat(body("x".repeat(Question.TEXT_CHARACTERS_MAX + 1)).complete()).isFalse();
        Question.Request expanded = body("\u202e".repeat(4_000) + "the end");
        assertThat(expanded.text()).doesNotContain("the end");
        assertThat(expanded.complete()).as("12,007 bytes, but written out").isFalse();
        assertThat(body("a\u0000b").text()).isEmpty();
        assertThat(body("a\u0000b").complete()).isFalse();
        assertThat(body(new byte[] {'a', (byte) 0xff}).complete()).as("not UTF-8").isFalse();
    }

    @Test
    void g6_aFieldThatIsCutOrMissingIsNotShownAsAWhole() {
        Map<String, String> fields = new TreeMap<>();
        for (int i = 0; i <= Question.FIELDS_MAX; i++) {
            fields.put("f" + i, "x");
        }
        assertThat(shown(new byte[0], URL, fields).orElseThrow().complete()).isFalse();
        String longest = "x".repeat(Question.LINE_CHARACTERS_MAX);
        assertThat(shown(new byte[0], URL, Map.of("a", longest)).orElseThrow().complete())
                .isFalse();
    }

    @Test
    void g6_aUrlThatDoesNotFitIsNoQuestion() {
        String longest = URL + "x".repeat(Question.URL_CHARACTERS_MAX - URL.length());
        assertThat(shown(new byte[0], longest, Map.of())).isPresent();
        assertThat(shown(new byte[0], longest + "x", Map.of())).isEmpty();
    }
}

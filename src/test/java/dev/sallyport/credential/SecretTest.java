package dev.sallyport.credential;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.policy.HostName;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class SecretTest {
    private static final String TOKEN = "ghp_planted0123456789";

    private final ObjectMapper json = new ObjectMapper().registerModule(new SecretModule());

    record Carrier(String name, Secret secret) {}

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "\n", "a\nb", "a\n\n", "a\r", "a\rb\n", "a\0b", "\u001b[2J", "a\u007f"})
    void g19RefusesWhatCouldBreakOutOfAHeader(String content) {
        assertThatThrownBy(() -> Secret.of(bytes(content)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void g19RefusesControlBytesOnEveryWayIn() {
        assertThatThrownBy(() -> Secret.of(bytes("a\r\nX-Evil: 1")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining("Evil");
        assertThatThrownBy(
                        () ->
                                new Credential(
                                        new HostName("github.com"),
                                        "user\r\nX-Evil",
                                        Secret.of(bytes("x"))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining("Evil");
    }

    @Test
    void refusesASecretThatIsTooLongToBeOne() {
        assertThatThrownBy(() -> Secret.of(bytes("x".repeat(Secret.BYTES_MAX + 1))))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void neverPrintsItself() {
        Secret secret = Secret.of(bytes(TOKEN));
        Credential credential = new Credential(new HostName("github.com"), "x", secret);
        CredentialSource source = new CredentialSource.Stored(credential);
        CredentialBook book = new CredentialBook(List.of(source));

        assertThat(List.of(secret, credential, source, book, new Carrier("n", secret)).toString())
                .doesNotContain(TOKEN)
                .contains("Secret[redacted]");
        assertThat(String.format("%s", secret)).isEqualTo("Secret[redacted]");
        assertThat(secret.hashCode()).isEqualTo(Secret.of(bytes("other")).hashCode());
    }

    @Test
    void travelsThroughJsonAsBase64() throws Exception {
        String text = json.writeValueAsString(new Carrier("n", Secret.of(bytes(TOKEN))));

        assertThat(text).doesNotContain(TOKEN);
        assertThat(json.readValue(text, Carrier.class).secret()).isEqualTo(Secret.of(bytes(TOKEN)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"" + TOKEN + "\"", "\"" + TOKEN + "!\"", "{\"v\":\"" + TOKEN + "\"}"})
    void errorsOfTheJsonReaderDoNotQuoteTheSecret(String value) {
        assertThatThrownBy(
                        () ->
                                json.readValue(
                                        "{\"name\":\"n\",\"secret\":" + value + "}", Carrier.class))
                .isInstanceOf(JsonMappingException.class)
                .satisfies(e -> assertThat(stackTrace(e)).doesNotContain(TOKEN));
    }

    @Test
    void cannotBeWrittenAsJsonByAccident() throws Exception {
        assertThatThrownBy(() -> new ObjectMapper().writeValueAsString(Secret.of(bytes(TOKEN))))
                .isInstanceOf(JsonMappingException.class);
    }

    private static String stackTrace(Throwable e) {
        StringWriter text = new StringWriter();
        e.printStackTrace(new PrintWriter(text));
        return text.toString();
    }
}

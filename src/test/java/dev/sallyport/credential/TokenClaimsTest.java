package dev.sallyport.credential;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What is believed of a token, and what is not.
class TokenClaimsTest {
    private static final List<String> PATH = List.of("https://a.example/auth", "account");

    private static Secret token(String claims) {
        String payload =
                Base64.getUrlEncoder()
                        .withoutPadding()
                        .encodeToString(claims.getBytes(StandardCharsets.UTF_8));
        return Secret.of(("e30." + payload + ".x").getBytes(StandardCharsets.US_ASCII));
    }

    @Test
    void whatItSaysIsFoundByItsWholePath() {
        Secret token =
                token(
                        "{\"account\":\"outer\",\"x\":{\"account\":\"other\",\"l\":[{}]},\"exp\":1767225600,"
                                + "\"https://a.example/auth\":{\"l\":[{\"account\":1}],\"account\":\"acc-1\"}}");
        assertThat(TokenClaims.name(token, PATH)).contains("acc-1");
        assertThat(TokenClaims.name(token, List.of("x", "account"))).contains("other");
        assertThat(TokenClaims.expiry(token)).contains(Instant.parse("2026-01-01T00:00:00Z"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[]",
                "{}",
                "{\"https://a.example/auth\":\"account\"}",
                "{\"https://a.example/auth\":{\"account\":1}}",
                "{\"https://a.example/auth\":{\"account\":\"\"}}",
                "{\"https://a.example/auth\":{\"account\":\"a\\r\\nx: y\"}}",
                "{\"https://a.example/auth\":{\"account\":\"a\\\"b\"}}",
                "{\"https://a.example/auth\":{\"account\":",
                "{\"exp\":\"soon\"}",
                "{\"exp\":99999999999999999999}",
                "{\"exp\":9223372036854775807}"
            })
    void whatIsNoNameOrTimeIsNotTakenForOne(String claims) {
        assertThat(TokenClaims.name(token(claims), PATH)).isEmpty();
        assertThat(TokenClaims.expiry(token(claims))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"sk-1", "a.b", "a.b.c", "a.%.c", "a.e30.c.d"})
    void aTokenOfAnotherKindSaysNothing(String text) {
        Secret token = Secret.of(text.getBytes(StandardCharsets.US_ASCII));
        assertThat(TokenClaims.name(token, PATH)).isEmpty();
        assertThat(TokenClaims.expiry(token)).isEmpty();
    }
}

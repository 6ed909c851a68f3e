package dev.sallyport.credential;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Answers of token endpoints, which come from the network.
class TokenAnswerTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    private static TokenAnswer parse(String json) throws Exception {
        return TokenAnswer.parse(json.getBytes(StandardCharsets.UTF_8), NOW);
    }

    private static Secret secret(String text) {
        return Secret.of(text.getBytes(StandardCharsets.US_ASCII));
    }

    @Test
    void readsTokensAndSkipsTheRest() throws Exception {
        TokenAnswer answer =
                parse(
                        """
                        {"access_token":"an-access-token","token_type":"bearer","expires_in":"60","refresh_token":"a-refresh-token",
                         "id_token":"x.y.z","account":{"uuid":"u","n":[1,2.5e3,123456789012345]},"scope":null}
                        """);
        assertThat(answer.access()).isEqualTo(secret("an-access-token"));
        assertThat(answer.refresh()).contains(secret("a-refresh-token"));
        assertThat(answer.expires()).contains(NOW.plusSeconds(60));
    }

    private static String expiring(String when) {
        String claims =
                Base64.getUrlEncoder()
                        .withoutPadding()
                        .encodeToString(
                                ("{\"exp\":" + when + "}").getBytes(StandardCharsets.US_ASCII));
        return "{\"access_token\":\"head." + claims + ".sig\"}";
    }

    @Test
    void aTokenMaySayItselfWhenItExpires() throws Exception {
        assertThat(parse(expiring("1767225600")).expires()).contains(NOW);
        assertThat(parse("{\"access_token\":\"head.%%%.signature\"}").expires()).isEmpty();
        assertThat(parse(expiring("9223372036854775807")).expires()).isEmpty();
        assertThat(parse("{\"access_token\":\"an-access-token\"}").refresh()).isEmpty();
    }

    @Test
    void refusesEverythingElseAndRepeatsNothing() {
        for (String wrong :
                List.of(
                        "",
                        "null",
                        "[]",
                        "{}",
                        "{\"access_token\":\"planted-token\"",
                        "{\"access_token\":\"planted-token\"}{}",
                        "{\"access_token\":\"planted-token\",\"access_token\":\"planted-token\"}",
                        "{\"access_token\":\"planted-token\",\"error\":\"invalid_grant\"}",
                        "{\"access_token\":\"planted-token\",\"expires_in\":99999999999}",
                        "{\"access_token\":\"planted-token\",\"expires_in\":1.5}",
                        "{\"access_token\":\"planted-token\",\"refresh_token\":\"x\"}",
                        "{\"access_token\":[\"planted-token\"]}",
                        "{\"access_token\":\"planted\\u0000token\"}",
                        "{\"access_token\":\"planted\\r\\ntoken\"}",
                        "{\"access_token\":\"planted-t\u00f6ken\"}",
                        "{\"access_token\":\"" + "x".repeat(9_000) + "\"}",
                        "{\"access_token\":\"planted-token\",\"x\":"
                                + "[".repeat(9)
                                + "]".repeat(9)
                                + "}")) {
            assertThatThrownBy(() -> parse(wrong))
                    .as(wrong)
                    .isInstanceOf(TokenAnswer.BadTokenAnswerException.class)
                    .hasNoCause()
                    .message()
                    .doesNotContain("planted");
        }
    }

    @Test
    void namesTheErrorAndNothingThatCouldBeASecret() {
        assertThat(error("{\"error\":\"invalid_grant\"}")).contains("invalid_grant");
        assertThat(error("{\"error\":{\"type\":\"t_x\",\"code\":\"used_up\"}}"))
                .contains("used_up");
        assertThat(error("{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\"}}"))
                .contains("invalid_request_error");
        assertThat(error("{\"error\":\"Token ABC was used\"}")).contains("other");
        assertThat(error("{\"message\":\"no\"}")).isEmpty();
        assertThat(error("<html>")).isEmpty();
    }

    private static Optional<String> error(String json) {
        return TokenAnswer.error(json.getBytes(StandardCharsets.UTF_8));
    }
}

package dev.sallyport.credential;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.time.Instant;

final class TokenAnswerFuzz {
    private static final ObjectMapper JSON = new ObjectMapper();

    /// What is granted is what another reader finds, and fit for a header.
    @FuzzTest
    void whatIsGrantedIsThere(byte[] input) throws IOException {
        var error = TokenAnswer.error(input);
        TokenAnswer answer;
        try {
            answer = TokenAnswer.parse(input, Instant.EPOCH);
        } catch (TokenAnswer.BadTokenAnswerException _) {
            return;
        }
        assertThat(error).isEmpty();
        JsonNode read = JSON.readTree(input);
        assertThat(answer.access().text())
                .isEqualTo(read.get("access_token").textValue())
                .matches("[!-~]{8,}");
        if (answer.refresh().isPresent()) {
            assertThat(answer.refresh().get().text())
                    .isEqualTo(read.get("refresh_token").textValue())
                    .matches("[!-~]{8,}");
        }
    }
}

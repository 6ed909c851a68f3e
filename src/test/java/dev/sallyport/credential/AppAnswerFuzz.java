package dev.sallyport.credential;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.Optional;

final class AppAnswerFuzz {
    private static final ObjectMapper JSON = new ObjectMapper();

    /// What is found is what another reader finds, and fit for a header.
    @FuzzTest
    void whatIsFoundIsThere(byte[] input) throws IOException {
        Optional<AppAnswer> answer = AppAnswer.parse(input);
        if (answer.isEmpty()) {
            return;
        }
        JsonNode read = JSON.readTree(input);
        answer.get().id().ifPresent(id -> assertThat(read.get("id").longValue()).isEqualTo(id));
        answer.get()
                .token()
                .ifPresent(
                        token ->
                                assertThat(token.text())
                                        .isEqualTo(read.get("token").textValue())
                                        .matches("[!-~]{8,4096}"));
        answer.get()
                .permissions()
                .forEach(
                        (name, level) ->
                                assertThat(read.get("permissions").get(name).textValue())
                                        .isEqualTo(level)
                                        .matches("[a-z_]+"));
    }
}

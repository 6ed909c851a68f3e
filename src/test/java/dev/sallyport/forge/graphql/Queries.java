package dev.sallyport.forge.graphql;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.policy.SessionId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/// Queries as bytes, and verdicts as what they should be.
final class Queries {
    static final SessionId SESSION = SessionId.random();
    static final QueryJudge JUDGE = new QueryJudge();
    private static final ObjectMapper JSON = new ObjectMapper();

    private Queries() {}

    static byte[] body(String query) {
        return body(query, Map.of());
    }

    static byte[] body(String query, Map<String, ?> variables) {
        try {
            return JSON.writeValueAsBytes(Map.of("query", query, "variables", variables));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e);
        }
    }

    static JsonNode json(byte[] bytes) {
        try {
            return JSON.readTree(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Verdict.Denied denied(String query, SessionRights rights) {
        return denied(body(query), rights);
    }

    static Verdict.Denied denied(byte[] body, SessionRights rights) {
        Verdict verdict = JUDGE.judge(SESSION, body, rights);
        assertThat(verdict).isInstanceOf(Verdict.Denied.class);
        return (Verdict.Denied) verdict;
    }

    static Verdict.Forward forward(String query, SessionRights rights) {
        return forward(body(query), rights);
    }

    static Verdict.Forward forward(byte[] body, SessionRights rights) {
        Verdict verdict = JUDGE.judge(SESSION, body, rights);
        assertThat(verdict).isInstanceOf(Verdict.Forward.class);
        return (Verdict.Forward) verdict;
    }

    static JsonNode answered(String query, SessionRights rights) {
        Verdict verdict = JUDGE.judge(SESSION, body(query), rights);
        assertThat(verdict).isInstanceOf(Verdict.Answered.class);
        return json(((Verdict.Answered) verdict).json());
    }

    /// The text of the query that goes up.
    static String sent(Verdict.Forward forward) {
        return json(forward.body()).get("query").textValue();
    }

    static JsonNode shaped(Verdict.Forward forward, String answer, SessionRights rights) {
        try {
            return json(forward.shaping().apply(answer.getBytes(StandardCharsets.UTF_8), rights));
        } catch (RefusedAnswerException e) {
            throw new AssertionError(e);
        }
    }
}

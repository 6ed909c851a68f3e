package dev.sallyport.forge;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sallyport.policy.Policy;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;

final class RestJudgeFuzz {
    private static final Policy POLICY = RestRig.policy("github.com/Acme/App", RestRig.ALL);
    private static final Facts FACTS =
            new RestRig(RestRig.ALL)
                    .withId(7)
                    .withPull(5, "agent/fix")
                    .withIssue(6)
                    .withComment(8, 5);

    /// G16, G23: whatever is sent, what goes upstream is about the granted repository, in a form
    /// that no reader changes, with a method and a body that were written here, and judging it
    /// again changes nothing. The input is a method, a target and a body, each on a line.
    @FuzzTest
    void whatGoesUpstreamIsOfTheGrantedRepository(byte[] input) throws IOException {
        String[] lines = new String(input, StandardCharsets.ISO_8859_1).split("\n", 3);
        String target = lines.length > 1 ? lines[1] : "/";
        byte[] body = (lines.length > 2 ? lines[2] : "").getBytes(StandardCharsets.ISO_8859_1);
        if (!(judge(lines[0], target, body) instanceof RestVerdict.Forward forward)) {
            return;
        }
        URI uri = URI.create("https://api.github.com" + forward.target());
        assertThat(uri.normalize()).isEqualTo(uri);
        assertThat(uri.getRawFragment()).isNull();
        assertThat(forward.permit().repo()).isEqualTo(RestRig.APP);
        if (!uri.getRawPath().equals("/search/issues")) {
            assertThat(uri.getRawPath() + "/").startsWith("/repos/Acme/App/");
        }
        if (forward.body().length > 0) {
            JsonNode json = JsonMapper.builder().build().readTree(forward.body());
            assertThat(json.isObject()).isTrue();
            assertThat(json.has("head_repo") || json.has("issue") || json.has("labels")).isFalse();
            assertThat(json.path("head").asText("agent/")).startsWith("agent/");
            assertThat(json.path("event").asText("COMMENT")).isEqualTo("COMMENT");
        }
        assertThat(forward.permit().operation().isWrite()).isEqualTo(forward.body().length > 0);

        RestVerdict.Forward again =
                RestRig.forwarded(judge(forward.method(), forward.target(), forward.body()));
        assertThat(again.target()).isEqualTo(forward.target());
        assertThat(again.body()).isEqualTo(forward.body());
        assertThat(again.permit().isLike(forward.permit())).isTrue();
    }

    private static RestVerdict judge(String method, String target, byte[] body) {
        int mark = target.indexOf('?');
        String path = mark < 0 ? target : target.substring(0, mark);
        String query = mark < 0 ? "" : target.substring(mark + 1);
        return new RestJudge()
                .judge(
                        POLICY,
                        new RestRequest(RestRig.GITHUB, method, path, query, "", body),
                        FACTS);
    }
}

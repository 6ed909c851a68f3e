package dev.sallyport.forge;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sallyport.forge.AnswerScrubber.Scrubbed;
import dev.sallyport.policy.RepoName;
import java.io.IOException;
import java.util.Optional;

final class AnswerScrubberFuzz {
    private static final String API = "https://api.github.com/repos/";
    private static final JsonMapper JSON = JsonMapper.builder().build();

    /// Nothing is learned about what is not granted.
    private static final Learner STRICT =
            new Learner() {
                @Override
                public void repository(RepoName repo, long id) {
                    assertThat(repo).isEqualTo(RestRig.APP);
                }

                @Override
                public void pull(RepoName repo, long number, Optional<PullHead> head) {
                    assertThat(repo).isEqualTo(RestRig.APP);
                }

                @Override
                public void comment(RepoName repo, long comment, long pull) {
                    assertThat(repo).isEqualTo(RestRig.APP);
                }

                @Override
                public void node(String nodeId, String type, RepoName repo) {
                    assertThat(repo).isEqualTo(RestRig.APP);
                }
            };

    /// G23: whatever upstream answers, no object that comes out says that it lies in another
    /// repository, no member for a token has a value, and scrubbing again changes nothing.
    @FuzzTest
    void whatComesOutIsGranted(byte[] input) throws IOException {
        AnswerScrubber scrubber = RestRig.scrubber(RestRig.APP::equals, STRICT);
        if (!(scrubber.scrub(input) instanceof Scrubbed.Clean(byte[] json))) {
            return;
        }
        check(JSON.readTree(json));
        assertThat(scrubber.scrub(json)).isInstanceOf(Scrubbed.Clean.class);
        assertThat(((Scrubbed.Clean) scrubber.scrub(json)).json()).isEqualTo(json);
    }

    private static String text(JsonNode node, String member) {
        JsonNode value = node.path(member);
        return value.isTextual() ? value.textValue() : "";
    }

    private static void check(JsonNode node) {
        for (JsonNode child : node) {
            check(child);
        }
        String name = text(node, "full_name");
        assertThat(name.isEmpty() || name.equalsIgnoreCase("acme/app")).isTrue();
        assertThat(text(node, "temp_clone_token")).isEmpty();
        for (String member : new String[] {"url", "repository_url", "download_url"}) {
            String url = text(node, member);
            assertThat(url).doesNotMatch("(?s)[^?]*\\?token=.*");
            if (url.startsWith(API)) {
                assertThat(url).matches(API + "(?is)acme/app([/?#{].*)?");
            }
        }
    }
}

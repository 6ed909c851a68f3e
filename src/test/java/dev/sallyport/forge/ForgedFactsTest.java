package dev.sallyport.forge;

import static dev.sallyport.forge.ApiRig.body;
import static dev.sallyport.forge.ApiRig.json;
import static dev.sallyport.forge.ApiRig.status;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// G23: whoever can push a file can write anything into it, so the gateway learns nothing from one.
final class ForgedFactsTest {
    private static final String RAW = "Accept: application/vnd.github.raw";

    private static String pull(String branch) {
        return "{\"url\":\"https://api.github.com/repos/acme/app/pulls/7\",\"number\":7,"
                + "\"head\":{\"ref\":\"%s\",\"repo\":{\"full_name\":\"acme/app\"}}}"
                        .formatted(branch);
    }

    private static String answer(String head, String type) {
        String forged = "{\"found\":" + pull("agent/x") + "}";
        return head.contains("/contents/")
                ? json(200, forged).replace("application/json; charset=utf-8", type)
                : json(200, pull("main"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"application/json", "application/vnd.github.raw+json; charset=utf-8"})
    void g23AFileThatLooksLikeAPullRequestIsNoFact(String type) throws Exception {
        try (ApiRig rig = new ApiRig((head, _) -> answer(head, type))) {
            String file = rig.get("/repos/acme/app/contents/x.json", RAW);
            String write = rig.send("PATCH", "/repos/acme/app/pulls/7", "{\"state\":\"closed\"}");

            assertThat(body(file)).contains("agent/x");
            assertThat(status(write)).isEqualTo("403");
            assertThat(rig.upstream()).noneMatch(line -> line.startsWith("PATCH"));
        }
    }

    /// What is no file still teaches: it is the host that speaks.
    @Test
    void aPullRequestThatWasReadIsAFact() throws Exception {
        try (ApiRig rig = new ApiRig((_, _) -> json(200, pull("agent/x")))) {
            rig.get("/repos/acme/app/pulls/7");
            rig.send("PATCH", "/repos/acme/app/pulls/7", "{\"state\":\"closed\"}");

            assertThat(rig.upstream())
                    .containsExactly(
                            "GET /repos/acme/app/pulls/7 HTTP/1.1",
                            "PATCH /repos/acme/app/pulls/7 HTTP/1.1");
        }
    }
}

package dev.sallyport.forge;

import static dev.sallyport.forge.ApiRig.body;
import static dev.sallyport.forge.ApiRig.json;
import static dev.sallyport.forge.ApiRig.status;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.policy.ApiHost;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/// The way of a request to an API and back.
final class ApiDoorTest {
    static final String REPO =
            "{\"id\":42,\"node_id\":\"R_1\",\"url\":\"https://api.github.com/repos/acme/app\","
                    + "\"name\":\"app\",\"full_name\":\"acme/app\","
                    + "\"owner\":{\"login\":\"acme\"},\"temp_clone_token\":\"AABB\"}";

    private static final String PLACEHOLDER = "Authorization: token " + ApiHost.PLACEHOLDER;
    private static final String COMMENT = "/repos/acme/app/issues/7/comments";
    private static final String OPEN =
            "{\"title\":\"Fix\",\"body\":\"text\",\"head\":\"agent/fix\",\"base\":\"main\"}";

    /// A pull request, as far as the gateway reads it.
    static String pull(String repo, String branch) {
        return "{\"id\":1,\"number\":7,\"url\":\"https://api.github.com/repos/acme/app/pulls/7\",\"head\":{\"ref\":\"%s\",\"repo\":{\"id\":%d,\"full_name\":\"%s\"}},\"base\":{\"ref\":\"main\",\"repo\":{\"id\":42,\"full_name\":\"acme/app\"}}}"
                .formatted(branch, repo.equals("acme/app") ? 42 : 43, repo);
    }

    @Test
    void readsAGrantedRepositoryWithTheCredentialThatTheSandboxHasNot() throws Exception {
        try (ApiRig rig = new ApiRig((_, _) -> json(200, REPO, "X-OAuth-Scopes: repo"))) {
            String answer = rig.get("/repos/ACME/app", PLACEHOLDER);

            assertThat(status(answer)).isEqualTo("200");
            assertThat(body(answer)).contains("\"full_name\":\"acme/app\"").doesNotContain("AABB");
            assertThat(answer.toLowerCase(Locale.ROOT)).doesNotContain("scopes");
            assertThat(rig.upstream()).containsExactly("GET /repos/acme/app HTTP/1.1");
            assertThat(rig.host.heads().getFirst())
                    .containsIgnoringCase("authorization: Bearer " + ApiRig.TOKEN)
                    .doesNotContain("placeholder");
            assertThat(rig.recorded("api.request")).containsExactly("allow -");
            assertThat(rig.detail("api.request"))
                    .containsEntry("repo", "github.com/acme/app")
                    .containsEntry("operation", "repository-read")
                    .containsEntry("path", "/repos/ACME/app");
            assertThat(rig.reads.all("repo")).containsExactly("github.com/acme/app");
            assertThat(rig.used).hasSize(1);
        }
    }

    @Test
    void e15RefusesACredentialThatIsNotThePlaceholderAndSendsNothing() throws Exception {
        try (ApiRig rig = new ApiRig((_, _) -> json(200, REPO))) {
            for (String own :
                    List.of(
                            "Authorization: token ghp_stolen",
                            "Authorization: Bearer ghp_stolen",
                            "Authorization: " + ApiHost.PLACEHOLDER,
                            "Authorization: Digest " + ApiHost.PLACEHOLDER,
                            "Cookie: session=1",
                            "Private-Token: " + ApiHost.PLACEHOLDER)) {
                String answer = rig.get("/repos/acme/app", own);
                assertThat(status(answer)).as(own).isEqualTo("403");
                assertThat(body(answer)).contains("must not send a credential");
            }
            assertThat(rig.upstream()).isEmpty();
            assertThat(rig.recorded("api.request"))
                    .hasSize(6)
                    .containsOnly("deny credential-not-allowed");
        }
    }

    @Test
    void takesThePlaceholderInEveryFormThatClientsSendItInAndNoneAtAll() throws Exception {
        String basic =
                Base64.getEncoder()
                        .encodeToString(
                                ("x:" + ApiHost.PLACEHOLDER).getBytes(StandardCharsets.US_ASCII));
        try (ApiRig rig = new ApiRig((_, _) -> json(200, REPO))) {
            for (String sent :
                    List.of(
                            PLACEHOLDER,
                            "Authorization: bearer " + ApiHost.PLACEHOLDER,
                            "Authorization: Basic " + basic,
                            "User-Agent: curl")) {
                assertThat(status(rig.get("/repos/acme/app", sent))).as(sent).isEqualTo("200");
            }
        }
    }

    @Test
    void recordsBeforeTheEffectAndDoesNothingWithoutTheRecord() throws Exception {
        try (ApiRig rig = new ApiRig((_, _) -> json(201, pull("acme/app", "agent/fix")))) {
            rig.recorderBroken = true;

            assertThat(status(rig.get("/repos/acme/app"))).isEqualTo("503");
            assertThat(status(rig.send("POST", "/repos/acme/app/pulls", OPEN))).isEqualTo("503");
            assertThat(status(rig.query("{repository(owner:\"acme\",name:\"app\"){id}}")))
                    .isEqualTo("503");
            assertThat(rig.upstream()).isEmpty();
            assertThat(rig.used).isEmpty();
        }
    }

    @Test
    void opensAPullRequestFromABranchThatTheSandboxMayPush() throws Exception {
        try (ApiRig rig = new ApiRig((_, _) -> json(201, pull("acme/app", "agent/fix")))) {
            String answer = rig.send("POST", "/repos/acme/app/pulls", OPEN, PLACEHOLDER);

            assertThat(status(answer)).isEqualTo("201");
            assertThat(rig.upstream()).containsExactly("POST /repos/acme/app/pulls HTTP/1.1");
            assertThat(rig.detail("api.request"))
                    .containsEntry("operation", "pull-open")
                    .containsKey("body-sha256")
                    .doesNotContainValue("text");
            assertThat(rig.reads.all("operation")).isEmpty();
        }
    }

    @Test
    void g16RefusesAPullRequestFromABranchThatTheSandboxMayNotPush() throws Exception {
        try (ApiRig rig = new ApiRig((_, _) -> json(201, "{}"))) {
            String answer =
                    rig.send("POST", "/repos/acme/app/pulls", OPEN.replace("agent/fix", "release"));

            assertThat(status(answer)).isEqualTo("403");
            assertThat(body(answer)).contains("may push").contains("\"id\":\"");
            assertThat(rig.upstream()).isEmpty();
            assertThat(rig.recorded("api.request")).containsExactly("deny ref-not-allowed");
            assertThat(rig.detail("api.request").get("denied")).contains("may push");
        }
    }

    @Test
    void g23AsksWhereAPullRequestComesFromBeforeItWritesToIt() throws Exception {
        try (ApiRig rig =
                new ApiRig(
                        (head, _) ->
                                head.startsWith("GET")
                                        ? json(200, pull("acme/app", "agent/fix"))
                                        : json(201, "{\"id\":5}"))) {
            assertThat(status(rig.send("POST", COMMENT, "{\"body\":\"done\"}"))).isEqualTo("201");
            assertThat(status(rig.send("POST", COMMENT, "{\"body\":\"and\"}"))).isEqualTo("201");

            assertThat(rig.upstream())
                    .as("it is asked once")
                    .containsExactly(
                            "GET /repos/acme/app/pulls/7 HTTP/1.1",
                            "POST /repos/acme/app/issues/7/comments HTTP/1.1",
                            "POST /repos/acme/app/issues/7/comments HTTP/1.1");
            assertThat(rig.recorded("api.question")).containsExactly("allow -");
        }
    }

    @Test
    void g23RefusesToWriteToAPullRequestOfAnotherBranchOrOfAFork() throws Exception {
        for (String other : List.of(pull("acme/app", "main"), pull("mallory/app", "agent/fix"))) {
            try (ApiRig rig = new ApiRig((_, _) -> json(200, other))) {
                String answer = rig.send("POST", COMMENT, "{\"body\":\"done\"}");

                assertThat(status(answer)).isEqualTo("403");
                assertThat(rig.upstream()).containsExactly("GET /repos/acme/app/pulls/7 HTTP/1.1");
                assertThat(rig.recorded("api.request")).containsExactly("deny ref-not-allowed");
            }
        }
    }

    @Test
    void g23AnswersTheSameForAForeignRepositoryAndForOneThatDoesNotExist() throws Exception {
        try (ApiRig rig = new ApiRig((_, _) -> json(200, REPO))) {
            for (String path :
                    List.of(
                            "/repos/acme/other",
                            "/repos/nobody/nothing",
                            "/repos/acme/other/pulls",
                            "/repos/acme/other/contents/README.md")) {
                String answer = rig.get(path);
                assertThat(status(answer)).as(path).isEqualTo("404");
                assertThat(body(answer))
                        .as(path)
                        .contains("\"message\":\"Not Found\"")
                        .doesNotContain("other")
                        .doesNotContain("nothing");
            }
            assertThat(rig.upstream()).isEmpty();
        }
    }

    @Test
    void g23ReachesARepositoryByItsNumberOnlyIfItIsGranted() throws Exception {
        try (ApiRig rig = new ApiRig((_, _) -> json(200, REPO))) {
            assertThat(status(rig.get("/repositories/42/pulls"))).isEqualTo("200");
            assertThat(status(rig.get("/repositories/43/pulls"))).isEqualTo("404");

            assertThat(rig.upstream())
                    .containsExactly(
                            "GET /repos/acme/app HTTP/1.1", "GET /repos/acme/app/pulls HTTP/1.1");
        }
    }

    @Test
    void g23HidesWhatHasTakenTheNameOfAGrantedRepository() throws Exception {
        try (ApiRig rig =
                new ApiRig(
                        (head, _) ->
                                json(
                                        200,
                                        head.contains("labels")
                                                ? "[]"
                                                : REPO.replace("42", id())))) {
            assertThat(status(rig.get("/repos/acme/app"))).isEqualTo("200");
            renamed = true;
            String answer = rig.get("/repos/acme/app");

            assertThat(status(answer)).isEqualTo("404");
            // The id of the refusal is random, and may have any digits.
            assertThat(body(answer).replaceFirst("\"id\":\"[0-9a-f]+\"", "")).doesNotContain("43");
        } finally {
            renamed = false;
        }
    }

    private static volatile boolean renamed;

    private static String id() {
        return renamed ? "43" : "42";
    }

    @Test
    void followsNoRedirectOfARepositoryThatWasRenamed() throws Exception {
        String moved =
                "HTTP/1.1 301 Moved\r\nLocation: https://api.github.com/repositories/9\r\nContent-Length: 0\r\n\r\n";
        try (ApiRig rig = new ApiRig((_, _) -> moved)) {
            String answer = rig.get("/repos/acme/app");

            assertThat(status(answer)).isEqualTo("404");
            assertThat(answer).doesNotContain("repositories/9");
            assertThat(rig.upstream()).hasSize(1);
        }
    }

    @Test
    void writesLinksToOtherPagesWithTheNameThatWasAskedFor() throws Exception {
        String link =
                "Link: <https://api.github.com/repositories/42/pulls?state=open&page=2>; rel=\"next\", <https://api.github.com/repositories/42/pulls?state=open&page=9>; rel=\"last\", <https://evil.example/x>; rel=\"next\"";
        try (ApiRig rig = new ApiRig((_, _) -> json(200, "[]", link))) {
            String answer = rig.get("/repos/acme/app/pulls?state=open");

            assertThat(answer)
                    .contains(
                            "link: <https://api.github.com/repos/acme/app/pulls?state=open&page=2>; rel=\"next\", <https://api.github.com/repos/acme/app/pulls?state=open&page=9>; rel=\"last\"\r\n")
                    .doesNotContain("evil");
        }
    }

    @Test
    void passesOnNoFieldThatIsNotListed() throws Exception {
        try (ApiRig rig =
                new ApiRig(
                        (_, _) ->
                                json(
                                        200,
                                        "[]",
                                        "Set-Cookie: a=b",
                                        "X-Accepted-OAuth-Scopes: repo",
                                        "Location: https://evil.example/",
                                        "X-RateLimit-Remaining: 4999",
                                        "X-RateLimit-Limit: <b>"))) {
            String answer = rig.get("/repos/acme/app/pulls").toLowerCase(Locale.ROOT);

            assertThat(answer)
                    .contains("x-ratelimit-remaining: 4999")
                    .doesNotContain("cookie", "scopes", "location", "<b>");
        }
    }

    @Test
    void asksForWhatHasChangedSinceTheClientSawIt() throws Exception {
        try (ApiRig rig =
                new ApiRig(
                        (head, _) ->
                                head.toLowerCase(Locale.ROOT).contains("if-none-match: w/\"a1\"")
                                        ? "HTTP/1.1 304 Not Modified\r\nETag: W/\"a1\"\r\n\r\n"
                                        : json(200, "[]", "ETag: W/\"a1\""))) {
            String pulls = "/repos/acme/app/pulls";
            assertThat(rig.get(pulls).toLowerCase(Locale.ROOT)).contains("etag: w/\"a1\"");
            String again = rig.ask(ApiRig.head("GET", pulls) + "If-None-Match: W/\"a1\"\r\n\r\n");
            assertThat(status(again)).isEqualTo("304");
            assertThat(
                            status(
                                    rig.ask(
                                            ApiRig.head("GET", pulls)
                                                    + "If-None-Match: W/\"a1\", *\r\n\r\n")))
                    .as("no other form is sent")
                    .isEqualTo("200");
        }
        try (ApiRig rig = new ApiRig((_, _) -> "HTTP/1.1 304 Not Modified\r\n\r\n")) {
            assertThat(status(rig.get("/repos/acme/app/pulls")))
                    .as("nobody asked for it")
                    .isEqualTo("404");
        }
    }

    @Test
    void isNobodyWhenTheHostSaysWhatIsNoName() throws Exception {
        try (ApiRig rig =
                new ApiRig((_, _) -> json(200, "{\"data\":{\"viewer\":{\"login\":\"a b\"}}}"))) {
            assertThat(body(rig.get("/user"))).contains("\"login\":\"sallyport\"");
        }
    }

    @Test
    void saysWhoTheSessionIsAndAsksForThatOnce() throws Exception {
        try (ApiRig rig =
                new ApiRig((_, _) -> json(200, "{\"data\":{\"viewer\":{\"login\":\"octo\"}}}"))) {
            assertThat(body(rig.get("/user"))).contains("\"login\":\"octo\"");
            assertThat(body(rig.query("{viewer{login}}"))).contains("octo");

            assertThat(rig.upstream()).containsExactly("POST /graphql HTTP/1.1");
        }
    }

    @Test
    void tellsOfACredentialThatTheHostDoesNotTake() throws Exception {
        try (ApiRig rig = new ApiRig((_, _) -> json(401, "{\"message\":\"Bad credentials\"}"))) {
            String answer = rig.get("/repos/acme/app");

            assertThat(status(answer)).isEqualTo("403");
            assertThat(body(answer)).doesNotContain("Bad credentials");
            assertThat(rig.recorded("api.failed")).containsExactly(" credential-refused");
            assertThat(rig.detail("api.failed")).containsEntry("upstream-status", "401");
        }
    }

    @Test
    void passesOnWhatTheHostHasAgainstAnAllowedRequest() throws Exception {
        String why = "{\"message\":\"Validation Failed\",\"errors\":[{\"code\":\"custom\"}]}";
        try (ApiRig rig = new ApiRig((_, _) -> json(422, why))) {
            String answer = rig.send("POST", "/repos/acme/app/pulls", OPEN);

            assertThat(status(answer)).isEqualTo("422");
            assertThat(body(answer)).contains("Validation Failed");
        }
    }

    @Test
    void refusesWhatNoTableAllows() throws Exception {
        try (ApiRig rig = new ApiRig((_, _) -> json(200, "{}"))) {
            assertThat(status(rig.send("PUT", "/repos/acme/app/pulls/7/merge", "{}")))
                    .isEqualTo("403");
            assertThat(status(rig.get("/gists"))).isIn("403", "404");
            assertThat(status(rig.get("/graphql"))).isEqualTo("403");
            assertThat(
                            status(
                                    rig.query(
                                            "mutation{mergePullRequest(input:{pullRequestId:\"1\"}){clientMutationId}}")))
                    .isEqualTo("403");
            assertThat(rig.upstream()).isEmpty();
        }
    }
}

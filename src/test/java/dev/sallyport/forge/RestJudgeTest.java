package dev.sallyport.forge;

import static dev.sallyport.forge.RestRig.body;
import static dev.sallyport.forge.RestRig.denied;
import static dev.sallyport.forge.RestRig.forwarded;
import static dev.sallyport.forge.RestRig.hidden;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.policy.Access;
import dev.sallyport.policy.ApiOperation;
import dev.sallyport.policy.ApiRules;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.Refusal;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RestJudgeTest {
    private final RestRig rig = new RestRig(RestRig.ALL);

    @Test
    void forwardsAReadUnderTheGrantedName() {
        RestVerdict.Forward forward = forwarded(rig.get("/repos/acme/APP/pulls?state=all"));
        assertThat(forward.method()).isEqualTo("GET");
        assertThat(forward.target()).isEqualTo("/repos/Acme/App/pulls?state=all");
        assertThat(forward.treatment()).isEqualTo(AnswerTreatment.JSON);
        assertThat(forward.fields()).containsEntry("accept", "application/vnd.github+json");
        assertThat(forward.detail())
                .containsEntry("repo", "github.com/acme/app")
                .containsEntry("operation", "pull-read");
    }

    @Test
    void anEnterpriseHostHasItsApiBelowAPath() {
        HostName corp = new HostName("git.corp.example");
        var policy = RestRig.policy("git.corp.example/acme/app", RestRig.ALL);
        RestRequest request =
                new RestRequest(corp, "GET", "/api/v3/repos/acme/app", "", "", new byte[0]);
        assertThat(forwarded(new RestJudge().judge(policy, request, rig)).target())
                .isEqualTo("/api/v3/repos/acme/app");
        RestRequest elsewhere =
                new RestRequest(corp, "GET", "/repos/acme/app", "", "", new byte[0]);
        denied(new RestJudge().judge(policy, elsewhere, rig));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/repos/acme/other",
                "/repos/acme/app.git",
                "/repos/acme/app2/pulls/1/merge",
                "/repos/stranger/app/contents/README.md",
                "/repos/stranger/app/no/such/thing",
                "/repos/acme/-/pulls",
                "/repositories/0/pulls",
                "/repositories/x/pulls"
            })
    void aForeignRepositoryIsNotThere(String path) {
        hidden(rig.get(path));
        hidden(rig.ask("POST", path, "{}"));
    }

    /// G20: a repository whose API is closed is none that is known here.
    @Test
    void g20_aGrantWithoutApiShowsNothing() {
        RestRig closed = new RestRig(ApiRules.NONE);
        hidden(closed.get("/repos/acme/app"));
    }

    @Test
    void saysWhatIsAllowedInstead() {
        RestRig standard = new RestRig(ApiRules.standard(Access.WRITE));
        RestVerdict.Denied denied =
                denied(standard.ask("POST", "/repos/acme/app/issues", "{\"title\":\"x\"}"));
        assertThat(denied.reason()).isEqualTo(Refusal.OPERATION_NOT_ALLOWED);
        assertThat(denied.hidden()).isFalse();
        assertThat(denied.message()).contains("issue-open", "pull-open", "checks-read");
        assertThat(denied.detail()).containsEntry("operation", "issue-open");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "", "/user", "/rate_limit", "/meta", "/versions", "/zen"})
    void answersAloneWhatIsAboutWhoeverAsks(String path) {
        assertThat(rig.get(path)).isInstanceOf(RestVerdict.Answered.class);
        assertThat(rig.ask("HEAD", path, "")).isInstanceOf(RestVerdict.Answered.class);
        denied(rig.ask("PATCH", path, "{}"));
    }

    @Test
    void theUserIsTheSession() {
        RestVerdict.Answered answer = (RestVerdict.Answered) rig.get("/user");
        assertThat(new String(answer.json(), StandardCharsets.UTF_8))
                .contains("\"login\":\"sallyport\"");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/gists",
                "/users/octocat",
                "/orgs/acme",
                "/search/code?q=x",
                "/notifications",
                "/user/repos",
                "/graphql",
                "/repos/acme",
                "/repos",
                "/repositories"
            })
    void refusesWhatIsAboutNoRepository(String target) {
        assertThat(denied(rig.get(target)).hidden()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "pulls?per_page=500&page=2, pulls?page=2&per_page=100",
        "pulls?state=, pulls",
        "issues?after=Y3Vyc29yOnYy%3D%3D&page=2, issues?after=Y3Vyc29yOnYy%3D%3D&page=2",
        "pulls?head=stranger:fix&base=main, pulls?base=main&head=stranger%3Afix",
        "contents/a%20b?ref=agent/x, contents/a%20b?ref=agent%2Fx",
        "contents/, contents",
        "contents/src%2Fmain, contents/src/main",
        "branches/agent%2Ffix, branches/agent%2Ffix",
        "git/ref/heads/agent/fix, git/ref/heads/agent/fix",
        "git/ref/heads%2Fagent%2Ffix, git/ref/heads/agent/fix",
        "compare/main...agent%2Ffix, compare/main...agent%2Ffix",
        "labels/good%20first%20issue, labels/good%20first%20issue",
        "actions/workflows/ci.yml/runs?branch=main, actions/workflows/ci.yml/runs?branch=main",
        "%70ulls, pulls",
    })
    void writesPathAndQueryAnew(String asked, String sent) {
        assertThat(forwarded(rig.get("/repos/acme/app/" + asked)).target())
                .isEqualTo("/repos/Acme/App/" + sent);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "pulls?access_token=x",
                "pulls?state=open&state=closed",
                "pulls?page=-1",
                "pulls?per_page=99999999",
                "pulls?base=a:b",
                "pulls?%zz",
                "pulls?state=%ff",
                "pulls?unknown",
                "contents/x?ref=main:path",
                "commits?sha=deadbee"
            })
    void refusesAQueryThatItDoesNotKnow(String asked) {
        assertThat(denied(rig.get("/repos/acme/app/" + asked)).reason())
                .isEqualTo(Refusal.BAD_REQUEST);
    }

    @ParameterizedTest
    @CsvSource({
        "pulls/1, application/vnd.github.v3.diff, RAW, application/vnd.github.diff",
        "pulls/1, 'application/vnd.github.patch; charset=utf-8', RAW, application/vnd.github.patch",
        "pulls/1, 'application/vnd.github+json, application/vnd.github.diff', JSON,"
                + " application/vnd.github+json",
        "pulls/1, application/vnd.github.raw, JSON, application/vnd.github+json",
        "pulls, application/vnd.github.v3.diff, JSON, application/vnd.github+json",
        "contents/x, application/vnd.github.raw+json, RAW, application/vnd.github.raw",
        "contents/x, application/vnd.github.html, JSON, application/vnd.github+json",
        "releases/assets/1, application/octet-stream, DOWNLOAD, application/octet-stream",
        "actions/runs/1/logs, application/octet-stream, DOWNLOAD, application/vnd.github+json",
        "pulls/1/merge, '*/*', NO_BODY, application/vnd.github+json",
    })
    void asksForWhatTheClientAccepts(
            String path, String accept, AnswerTreatment treatment, String sent) {
        RestVerdict.Forward forward =
                forwarded(rig.ask(RestRig.GITHUB, "GET", "/repos/acme/app/" + path, accept, ""));
        assertThat(forward.treatment()).isEqualTo(treatment);
        assertThat(forward.fields()).containsEntry("accept", sent);
    }

    @Test
    void opensAPullRequestFromABranchThatTheSessionMayPush() {
        RestVerdict verdict =
                rig.ask(
                        "POST",
                        "/repos/acme/app/pulls",
                        "{\"base\":\"main\",\"head\":\"acme:agent/fix\",\"title\":\"Fix it\","
                                + "\"body\":\"Because.\",\"draft\":true,"
                                + "\"maintainer_can_modify\":true}");
        assertThat(body(verdict))
                .isEqualTo(
                        "{\"title\":\"Fix it\",\"body\":\"Because.\",\"head\":\"agent/fix\","
                                + "\"base\":\"main\",\"draft\":true,"
                                + "\"maintainer_can_modify\":false}");
        assertThat(forwarded(verdict).permit().operation()).isEqualTo(ApiOperation.PULL_OPEN);
        assertThat(forwarded(verdict).fields()).containsEntry("content-type", "application/json");
        assertThat(verdict.detail())
                .containsEntry("head", "refs/heads/agent/fix")
                .containsEntry("base", "main")
                .containsEntry("body-characters", "8")
                .containsKey("title-sha256")
                .doesNotContainValue("Because.");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[]",
                "null",
                "{\"title\":\"a\",\"title\":\"b\",\"head\":\"agent/x\",\"base\":\"main\"}",
                "{\"title\":\"a\",\"head\":\"agent/x\",\"base\":\"main\"} {}",
                "{\"title\":\"a\",\"head\":\"agent/x\",\"base\":\"main\",}",
                "{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":1}}}}}}}",
                "{'title':'a'}"
            })
    void refusesABodyThatCouldBeReadInTwoWays(String body) {
        assertThat(denied(rig.ask("POST", "/repos/acme/app/pulls", body)).reason())
                .isEqualTo(Refusal.MALFORMED_BODY);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "head_repo | {\"title\":\"a\",\"head\":\"agent/x\",\"base\":\"main\",\"head_repo\":\"x\"}",
                "issue | {\"issue\":4,\"head\":\"agent/x\",\"base\":\"main\"}",
                "title | {\"head\":\"agent/x\",\"base\":\"main\"}",
                "title | {\"title\":7,\"head\":\"agent/x\",\"base\":\"main\"}",
                "draft | {\"title\":\"a\",\"head\":\"agent/x\",\"base\":\"main\",\"draft\":\"yes\"}",
            })
    void namesTheMemberThatItRefuses(String member, String body) {
        assertThat(denied(rig.ask("POST", "/repos/acme/app/pulls", body)).message())
                .contains("'" + member + "'");
    }

    @Test
    void aBodyInAnotherCharacterSetIsRefused() {
        byte[] body = "{\"title\":\"a\"}".getBytes(StandardCharsets.UTF_16);
        RestRequest request =
                new RestRequest(RestRig.GITHUB, "POST", "/repos/acme/app/issues", "", "", body);
        var policy = RestRig.policy("github.com/Acme/App", RestRig.ALL);
        assertThat(denied(new RestJudge().judge(policy, request, rig)).reason())
                .isEqualTo(Refusal.MALFORMED_BODY);
    }

    @Test
    void aReadHasNoBody() {
        assertThat(denied(rig.ask("GET", "/repos/acme/app", "{}")).reason())
                .isEqualTo(Refusal.BAD_REQUEST);
    }

    @Test
    void editsAnOwnPullRequest() {
        rig.withPull(5, "agent/fix");
        assertThat(
                        body(
                                rig.ask(
                                        "PATCH",
                                        "/repos/acme/app/pulls/5",
                                        "{\"title\":\"New\",\"state\":\"closed\",\"body\":null}")))
                .isEqualTo("{\"title\":\"New\",\"state\":\"closed\"}");
        assertThat(
                        forwarded(
                                        rig.ask(
                                                "PATCH",
                                                "/repos/acme/app/issues/5",
                                                "{\"body\":\"Text\"}"))
                                .permit()
                                .operation())
                .isEqualTo(ApiOperation.PULL_EDIT);
    }

    @Test
    void asksForAReviewByListedPeopleOnly() {
        rig.withPull(5, "agent/fix");
        String path = "/repos/acme/app/pulls/5/requested_reviewers";
        assertThat(
                        body(
                                rig.ask(
                                        "POST",
                                        path,
                                        "{\"reviewers\":[\"OctoCat\"],\"team_reviewers\":[]}")))
                .isEqualTo("{\"reviewers\":[\"OctoCat\"]}");
        for (String body :
                new String[] {
                    "{\"reviewers\":[\"octocat\",\"mallory\"]}",
                    "{\"reviewers\":[\"copilot-pull-request-reviewer[bot]\"]}",
                    "{\"reviewers\":[\"octocat\"],\"team_reviewers\":[\"all\"]}",
                    "{\"reviewers\":[]}",
                    "{\"team_reviewers\":[]}"
                }) {
            denied(rig.ask("POST", path, body));
            denied(rig.ask("DELETE", path, body));
        }
    }

    @Test
    void reviewsCanOnlyComment() {
        rig.withPull(5, "agent/fix");
        String path = "/repos/acme/app/pulls/5/reviews";
        assertThat(
                        body(
                                rig.ask(
                                        "POST",
                                        path,
                                        "{\"event\":\"COMMENT\",\"body\":\"Done.\",\"comments\":"
                                                + "[{\"path\":\"a.c\",\"line\":3,\"body\":\"Here\"}]}")))
                .isEqualTo(
                        "{\"body\":\"Done.\",\"event\":\"COMMENT\",\"comments\":"
                                + "[{\"body\":\"Here\",\"path\":\"a.c\",\"line\":3}]}");
        for (String body :
                new String[] {
                    "{\"event\":\"APPROVE\"}",
                    "{\"event\":\"REQUEST_CHANGES\",\"body\":\"x\"}",
                    "{\"event\":\"comment\"}",
                    "{\"body\":\"pending, submitted later\"}",
                    "{\"event\":\"COMMENT\",\"comments\":[{\"path\":\"a\",\"body\":\"/merge\"}]}"
                }) {
            denied(rig.ask("POST", path, body));
        }
    }

    @Test
    void runsAWorkflowAgainWithoutABody() {
        RestVerdict verdict = rig.ask("POST", "/repos/acme/app/actions/runs/9/rerun", "");
        assertThat(body(verdict)).isEqualTo("{}");
        RestRig standard = new RestRig(ApiRules.standard(Access.WRITE));
        denied(standard.ask("POST", "/repos/acme/app/actions/runs/9/rerun", ""));
    }

    @Test
    void searchesOneGrantedRepository() {
        RestVerdict.Forward forward =
                forwarded(
                        rig.get(
                                "/search/issues?q=is:pr+repo:acme/app+label:%22good+one%22&page=2"));
        assertThat(forward.target())
                .isEqualTo(
                        "/search/issues?page=2&q=repo%3AAcme%2FApp%20is%3Apr%20label%3A%22good%20one%22");
        assertThat(forward.detail())
                .isEqualTo(
                        Map.of(
                                "repo",
                                "github.com/acme/app",
                                "operation",
                                "repository-read",
                                "route",
                                "search"));
        hidden(rig.get("/search/issues?q=repo:acme/other+x"));
    }
}

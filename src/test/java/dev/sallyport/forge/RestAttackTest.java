package dev.sallyport.forge;

import static dev.sallyport.forge.RestRig.body;
import static dev.sallyport.forge.RestRig.denied;
import static dev.sallyport.forge.RestRig.forwarded;
import static dev.sallyport.forge.RestRig.hidden;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.policy.ApiLevel;
import dev.sallyport.policy.ApiOperation;
import dev.sallyport.policy.ApiRules;
import dev.sallyport.policy.Refusal;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The API as a way around what a session may push, read or say.
class RestAttackTest {
    private static final String R = "/repos/acme/app";

    private final RestRig rig = new RestRig(RestRig.ALL);

    @ParameterizedTest
    @ValueSource(
            strings = {
                "main",
                "release",
                "acme:main",
                "stranger:agent/fix",
                "acme:app:agent/fix",
                "refs/heads/agent/fix",
                "heads/agent/fix",
                "agent/../main",
                "agent/fix:main",
                "agent/fix~1",
                "agent/fix@{1}",
                " agent/fix",
                "agent/\u200bfix",
                "",
                ":agent/fix",
                "acme:"
            })
    void g16_aPullRequestComesFromABranchThatCouldBePushed(String head) {
        String body = "{\"title\":\"a\",\"base\":\"main\",\"head\":\"" + head + "\"}";
        assertThat(denied(rig.ask("POST", R + "/pulls", body)).reason())
                .isEqualTo(Refusal.REF_NOT_ALLOWED);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "PATCH | /pulls/5 | {\"title\":\"x\"}",
                "PATCH | /pulls/5 | {\"state\":\"closed\"}",
                "PATCH | /pulls/5 | {\"base\":\"main\"}",
                "PATCH | /issues/5 | {\"state\":\"closed\"}",
                "POST | /issues/5/comments | {\"body\":\"x\"}",
                "POST | /pulls/5/comments | {\"body\":\"x\"}",
                "POST | /pulls/5/reviews | {\"event\":\"COMMENT\",\"body\":\"x\"}",
                "POST | /pulls/5/requested_reviewers | {\"reviewers\":[\"octocat\"]}",
                "DELETE | /pulls/5/requested_reviewers | {\"reviewers\":[\"octocat\"]}",
            })
    void g16_g23_nobodyElsesPullRequestIsWrittenTo(String method, String path, String body) {
        RestRig unknown = new RestRig(RestRig.ALL);
        RestVerdict first = unknown.ask(method, R + path, body);
        assertThat(first).isInstanceOf(RestVerdict.NeedsNumber.class);
        assertThat(((RestVerdict.NeedsNumber) first).number()).isEqualTo(5);

        for (RestRig foreign :
                List.of(
                        new RestRig(RestRig.ALL).withPull(5, "feature"),
                        new RestRig(RestRig.ALL).withPull(5, "stranger", "agent/fix"))) {
            assertThat(denied(foreign.ask(method, R + path, body)).reason())
                    .isEqualTo(Refusal.REF_NOT_ALLOWED);
        }
        RestRig own = new RestRig(RestRig.ALL).withPull(5, "agent/fix");
        assertThat(forwarded(own.ask(method, R + path, body)).target())
                .isEqualTo("/repos/Acme/App" + path);
    }

    /// Which of the two the API would take, nobody says.
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/pulls/%d/comments/77/replies | {\"body\":\"x\"}",
                "/pulls/%d/comments | {\"body\":\"x\",\"in_reply_to\":77}"
            })
    void g23_aReplyIsOfThePullRequestThatItsCommentIsOf(String path, String body) {
        RestRig session = new RestRig(RestRig.ALL).withPull(5, "agent/fix").withPull(6, "feature");
        RestVerdict first = session.ask("POST", R + path.formatted(5), body);
        assertThat(first).isInstanceOf(RestVerdict.NeedsComment.class);
        assertThat(((RestVerdict.NeedsComment) first).comment()).isEqualTo(77);
        for (long elsewhere : new long[] {6, 0}) {
            session.withComment(77, elsewhere);
            assertThat(denied(session.ask("POST", R + path.formatted(5), body)).message())
                    .contains("comment 77 is none");
            assertThat(denied(session.ask("POST", R + path.formatted(6), body)).reason())
                    .isEqualTo(Refusal.REF_NOT_ALLOWED);
        }
        session.withComment(77, 5);
        assertThat(forwarded(session.ask("POST", R + path.formatted(5), body)).target())
                .isEqualTo("/repos/Acme/App" + path.formatted(5));
    }

    /// Whoever may write to issues but not to pull requests gets no way to a pull request by its
    /// number.
    @Test
    void g23_issuesAreNoWayToPullRequests() {
        ApiRules issues =
                new ApiRules(
                        ApiLevel.READ,
                        ApiLevel.OFF,
                        ApiLevel.OFF,
                        ApiLevel.WRITE,
                        false,
                        List.of(),
                        false);
        RestRig session = new RestRig(issues).withPull(5, "agent/fix").withIssue(6);
        String body = "{\"body\":\"x\"}";
        assertThat(denied(session.ask("POST", R + "/issues/5/comments", body)).reason())
                .isEqualTo(Refusal.OPERATION_NOT_ALLOWED);
        assertThat(
                        forwarded(session.ask("POST", R + "/issues/6/comments", body))
                                .permit()
                                .operation())
                .isEqualTo(ApiOperation.ISSUE_COMMENT);
        assertThat(session.ask("POST", R + "/issues/7/comments", body))
                .isInstanceOf(RestVerdict.NeedsNumber.class);
        denied(session.ask("PATCH", R + "/issues/7", body));
    }

    @Test
    void g23_pullRequestsAreNoWayToIssues() {
        RestRig session =
                new RestRig(ApiRules.standard(dev.sallyport.policy.Access.WRITE)).withIssue(6);
        denied(session.ask("POST", R + "/issues/6/comments", "{\"body\":\"x\"}"));
        denied(session.ask("PATCH", R + "/issues/6", "{\"state\":\"closed\"}"));
        denied(session.ask("PATCH", R + "/pulls/6", "{\"state\":\"closed\"}"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"labels\":[\"automerge\"]}",
                "{\"assignees\":[\"copilot-swe-agent[bot]\"]}",
                "{\"milestone\":1}",
                "{\"state\":\"closed\",\"state_reason\":\"x\"}",
                "{\"agent_assignment\":{\"target_repo\":\"acme/other\"}}"
            })
    void g23_g24_anIssuesFormOfAPullRequestHasNothingElse(String body) {
        rig.withPull(5, "agent/fix");
        denied(rig.ask("PATCH", R + "/issues/5", body));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"title\":\"a\",\"labels\":[\"deploy\"]}",
                "{\"title\":\"a\",\"assignees\":[\"copilot-swe-agent[bot]\"]}",
                "{\"title\":\"a\",\"agent_assignment\":{}}"
            })
    void g24_anIssueIsOpenedWithoutWhatStartsSomebody(String body) {
        denied(rig.ask("POST", R + "/issues", body));
        assertThat(
                        body(
                                rig.ask(
                                        "POST",
                                        R + "/issues",
                                        "{\"title\":\"a\",\"labels\":[],\"milestone\":null}")))
                .isEqualTo("{\"title\":\"a\"}");
    }

    @Test
    void g23_numericRoutesLeadToGrantedRepositoriesOnly() {
        assertThat(rig.get("/repositories/42/pulls?page=2"))
                .isInstanceOf(RestVerdict.NeedsRepository.class);
        rig.withId(42);
        assertThat(forwarded(rig.get("/repositories/42/pulls?page=2")).target())
                .isEqualTo("/repos/Acme/App/pulls?page=2");
        denied(rig.ask("PUT", "/repositories/42/pulls/5/merge", "{}"));
        assertThat(rig.get("/repositories/43/pulls"))
                .isInstanceOf(RestVerdict.NeedsRepository.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/repos/acme/app/../other",
                "/repos/acme/app/%2e%2e/other",
                "/repos/acme/app/.%2E/other",
                "/repos//acme/app",
                "/repos/acme/app/",
                "/repos/acme/app/pulls/",
                "/repos/acme/app;x=1",
                "/repos/acme/app/pulls;/5",
                "/repos/acme/app/pulls%00",
                "/repos/acme/app%5c..%5cother",
                "/repos/acme/app%252Fpulls",
                "/repos/acme/app/contents/..%2F..%2Fother",
                "/repos/acme/app/contents/a%2F%2Fb",
                "/repos/acme/app/contents/%EF%BC%8E%EF%BC%8E",
                "//repos/acme/app",
                "repos/acme/app"
            })
    void g23_aPathHasOneSpelling(String path) {
        assertThat(denied(rig.get(path)).reason()).isEqualTo(Refusal.NO_SUCH_ENDPOINT);
        assertThat(denied(rig.ask("POST", path, "{}")).reason())
                .isEqualTo(Refusal.NO_SUCH_ENDPOINT);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/repos/acme%2Fapp/pulls",
                "/repos/acme/app%2Fpulls",
                "/repos/acme/app%2F..%2Fother",
                "/repos/acme%2Fapp%2Fpulls/x/y"
            })
    void g23_anEscapedSlashIsNoneOfARepositorysName(String path) {
        denied(rig.get(path));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/branches/main%2Fprotection",
                "/commits/main%2Fstatus",
                "/commits/main%2Fcheck-runs",
                "/pulls%2F5",
                "/pulls/5%2Fmerge",
                "/branches/main/protection"
            })
    void g23_anEscapedSlashLeadsToNoOtherOperation(String path) {
        denied(rig.get(R + path));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/compare/main...stranger:main",
                "/compare/stranger:app:main...main",
                "/compare/main..agent",
                "/compare/main",
                "/compare/main...",
                "/compare/main...abc123"
            })
    void g23_aComparisonStaysInTheRepository(String path) {
        denied(rig.get(R + path));
    }

    /// Every object of every fork can be read by its name. Names that are whole cannot be guessed,
    /// and git gives them as well; the beginnings of names can.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "/commits/abc1",
                "/commits/ABCD",
                "/commits/0123456789abcdef0123456789abcdef0123456",
                "/commits/v1-3-gabcdef0",
                "/git/commits/abcdef0",
                "/git/trees/abcdef0",
                "/git/blobs/abcdef0",
                "/contents/a?ref=abcdef0",
                "/tarball/abcdef0",
                "/commits/main%5E",
                "/commits/main~1"
            })
    void g23_noObjectIsFoundByAGuess(String path) {
        denied(rig.get(R + path));
        assertThat(forwarded(rig.get(R + "/commits/" + "a".repeat(40))).permit().repo())
                .isEqualTo(RestRig.APP);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "x",
                "repo:acme/app is:issue\"\"OR\"\"y",
                "repo:acme/app x%E2%80%83OR%E2%80%83is:issue",
                "repo:acme/app topic:x",
                "repo:acme/app repo:acme/other",
                "repo:acme/app user:acme",
                "repo:acme/app org:acme",
                "repo:acme/app -repo:acme/app",
                "repo:acme/app OR secret",
                "(repo:acme/app) secret",
                "repo:acme/app \"unclosed",
                "repo:acme/app x\"repo:acme/other",
                "repo:acme/app Org:acme",
                "repo:acme/app project:acme/1",
                "repo:acme/app NOT x"
            })
    void g22_aSearchHasOneScope(String text) {
        String query = text.replace("\"", "%22").replace(" ", "+");
        denied(rig.get("/search/issues?q=" + query));
    }

    /// I17: requests without a body are judged on an event loop, whose stack is what it is.
    @ParameterizedTest
    @ValueSource(strings = {"/repos/acme/app?page=", "/search/issues?q=repo:acme/app+"})
    void i17_aLongQueryTakesNoMoreOfTheStackThanAShortOne(String start) throws Exception {
        AtomicReference<Object> said = new AtomicReference<>("nothing");
        Runnable ask =
                () -> {
                    try {
                        said.set(rig.get(start + "a".repeat(900)));
                        said.set(rig.get(start + "a".repeat(4_000)));
                    } catch (StackOverflowError e) {
                        said.set(e);
                    }
                };
        Thread small = new Thread(null, ask, "small", 160 * 1_024);
        small.start();
        small.join();
        assertThat(said.get()).isInstanceOf(RestVerdict.Denied.class);
    }

    /// What some engine might take for an operator or a scope goes up as a phrase; how many results
    /// there are elsewhere would be told by their count.
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "%22x%22OR%22y%22 | %22xORy%22",
                "x%C2%A0OR%C2%A0y | %22x%C2%A0OR%C2%A0y%22",
                "or | %22or%22",
                "%22REPO:acme/other%22 | %22REPO%3Aacme%2Fother%22",
                "is:repo:acme/other | is%3A%22repo%3Aacme%2Fother%22"
            })
    void g22_aSearchIsWrittenAnew(String sent, String written) {
        assertThat(forwarded(rig.get("/search/issues?q=repo:acme/app+" + sent)).target())
                .isEqualTo("/search/issues?q=repo%3AAcme%2FApp%20" + written);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/merge", "please\n/approve", "> /deploy", "@dependabot merge"})
    void g24_textsCommandNobody(String text) {
        rig.withPull(5, "agent/fix");
        String escaped = text.replace("\n", "\\n");
        RestVerdict.Denied denied =
                denied(rig.ask("POST", R + "/issues/5/comments", "{\"body\":\"" + escaped + "\"}"));
        assertThat(denied.reason()).isEqualTo(Refusal.OPERATION_NOT_ALLOWED);
        denied(
                rig.ask(
                        "POST",
                        R + "/pulls",
                        "{\"title\":\"a\",\"head\":\"agent/x\",\"base\":\"main\",\"body\":\""
                                + escaped
                                + "\"}"));
    }

    @Test
    void g23_aForeignRepositoryLooksLikeAMissingOneWhateverIsAsked() {
        for (String path : List.of("", "/pulls", "/pulls/1/merge", "/contents/x", "/no/such")) {
            for (String method : List.of("GET", "HEAD", "POST", "PATCH", "PUT", "DELETE")) {
                hidden(rig.ask(method, "/repos/acme/secret" + path, ""));
            }
        }
    }
}

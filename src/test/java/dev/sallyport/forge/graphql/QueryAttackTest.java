package dev.sallyport.forge.graphql;

import static dev.sallyport.forge.graphql.Queries.answered;
import static dev.sallyport.forge.graphql.Queries.body;
import static dev.sallyport.forge.graphql.Queries.denied;
import static dev.sallyport.forge.graphql.Queries.forward;
import static dev.sallyport.forge.graphql.Queries.json;
import static dev.sallyport.forge.graphql.Queries.sent;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.policy.ApiOperation;
import dev.sallyport.policy.Refusal;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Ways round by the language of queries: each is refused, or leaves nothing foreign in what is
/// sent.
class QueryAttackTest {
    private static final String APP = "repository(owner: \"acme\", name: \"app\")";
    private final SessionRights rights = SessionRights.usual();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "relay { viewer { login } }",
                "resource(url: \"https://github.com/evil/secret\") { url }",
                "repositoryOwner(login: \"evil\") { login }",
                "enterprise(slug: \"x\") { name }",
                "topic(name: \"x\") { name }",
                "user(login: \"evil\") { repositories(first: 1) { nodes { name } } }",
                "user(login: \"evil\") { email }",
                "viewer { repositories(first: 1) { nodes { name } } }",
                "organization(login: \"evil\") { repositories(first: 1) { nodes { name } } }",
                APP + " { parent { pullRequests(first: 1) { nodes { title } } } }",
                APP + " { parent { parent { name } } }",
                APP + " { forks(first: 1) { nodes { name } } }",
                APP + " { owner { ... on User { repositories(first: 1) { totalCount } } } }",
                APP + " { object(expression: \"HEAD:README\") { id } }",
                APP + " { tempCloneToken }",
                APP + " { deployKeys(first: 1) { nodes { key } } }",
                APP
                        + " { pullRequest(number: 1) { headRepository { issues(first: 1) { totalCount } } } }",
                APP
                        + " { pullRequest(number: 1) { timelineItems(first: 1) { nodes { __typename } } } }",
                APP
                        + " { pullRequest(number: 1) { closingIssuesReferences(first: 1) { nodes { body } } } }",
                APP + " { pullRequest(number: 1) { repository { pullRequests { totalCount } } } }",
                APP
                        + " { issue(number: 1) { author { ... on User { repositories(first: 1) { totalCount } } } } }",
                APP + " { issue(number: 1) { timelineItems(first: 1) { totalCount } } }",
                APP + " { issue(number: 1) { parent { body } } }"
            })
    void g22_aWayOutIsNoField(String query) {
        assertThat(denied("{ " + query + " }", rights).message()).contains("doesn't exist");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "mergePullRequest(input: {pullRequestId: \"PR_1\"}) { clientMutationId }",
                "enablePullRequestAutoMerge(input: {pullRequestId: \"PR_1\"}) { clientMutationId }",
                "updatePullRequestBranch(input: {pullRequestId: \"PR_1\"}) { clientMutationId }",
                "createCommitOnBranch(input: {}) { clientMutationId }",
                "createRef(input: {}) { clientMutationId }",
                "addLabelsToLabelable(input: {}) { clientMutationId }",
                "deleteIssueComment(input: {}) { clientMutationId }",
                "resolveReviewThread(input: {}) { clientMutationId }",
                "addPullRequestReview(input: {pullRequestId: \"PR_1\", event: APPROVE}) { clientMutationId }",
                "addPullRequestReview(input: {pullRequestId: \"PR_1\", event: REQUEST_CHANGES}) { clientMutationId }",
                "addPullRequestReview(input: {pullRequestId: \"PR_1\"}) { clientMutationId }",
                "createIssue(input: {repositoryId: \"R_1\", title: \"t\", agentAssignment: {}}) { clientMutationId }",
                "createIssue(input: {repositoryId: \"R_1\", title: \"t\", assigneeIds: [\"U_1\"]}) { clientMutationId }",
                "createPullRequest(input: {repositoryId: \"R_1\", title: \"t\", baseRefName: \"main\", headRefName: \"x\", headRepositoryId: \"R_2\"}) { clientMutationId }",
                "updatePullRequest(input: {pullRequestId: \"PR_1\", labelIds: []}) { clientMutationId }"
            })
    void g16_g22_whatIsNeverAllowedIsNoMutation(String mutation) {
        assertThat(denied("mutation { " + mutation + " }", rights).refusal())
                .isIn(Refusal.OPERATION_NOT_ALLOWED, Refusal.BAD_REQUEST);
        assertThat(rights.changes).isEmpty();
    }

    @Test
    void g22_twoChangesInOneDocumentAreRefused() {
        String one = "addComment(input: {subjectId: \"PR_1\", body: \"a\"}) { clientMutationId }";
        denied("mutation { a: " + one + " b: " + one + " }", rights);
        denied(
                "mutation { "
                        + one
                        + " closePullRequest(input: {pullRequestId: \"PR_1\"})"
                        + " { clientMutationId } }",
                rights);
        denied(
                "mutation { ...m ... on Mutation { b: "
                        + one
                        + " } } fragment m on Mutation { "
                        + one
                        + " }",
                rights);
        assertThat(rights.changes).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "query A { viewer { login } } query B { viewer { login } }",
                "query A { viewer { login } } mutation B { __typename }",
                "subscription { viewer { login } }",
                "schema { query: Query }",
                "type X { a: Int } { viewer { login } }",
                "fragment a on Query { viewer { login } }",
                "",
                "{",
                "{ }",
                "{ viewer }",
                "{ viewer { login { x } } }",
                "query { viewer { login } } fragment a on Query { viewer { login } }",
                "query { ...a } fragment a on Query { viewer { login } } fragment a on Query { viewer { login } }",
                "query($x: String) { viewer { login } }",
                "{ ...missing }"
            })
    void g22_aDocumentIsOneOperation(String query) {
        denied(query, rights);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{ ...a } fragment a on Query { ...a }",
                "{ ...a } fragment a on Query { ...b } fragment b on Query { ... on Query { ...a } }",
                "{ repository(owner: \"acme\", name: \"app\") { ...r } } fragment r on Repository { parent { ...r } }"
            })
    void g22_fragmentsThatContainThemselvesEnd(String query) {
        denied(query, rights);
    }

    @Test
    void g22_fragmentsThatDoubleEachOtherCostNothing() {
        String doubling =
                IntStream.range(0, 25)
                        .mapToObj(
                                i ->
                                        "fragment f%d on Query { ...f%d ...f%d }"
                                                .formatted(i, i + 1, i + 1))
                        .collect(Collectors.joining(" "));
        String query = "{ ...f0 } " + doubling + " fragment f25 on Query { viewer { login } }";

        assertThat(denied(query, rights).message()).containsAnyOf("levels", "fields");
    }

    @Test
    void g22_aFragmentDoesNotWidenWhatIsNarrow() {
        String query =
                "{ "
                        + APP
                        + " { name ...r parent { ...r } } } fragment r on Repository { name %s }";

        assertThat(sent(forward(query.formatted("description"), rights))).contains("parent{");
        denied(query.formatted("pullRequests { totalCount }"), rights);
        denied(
                "{ "
                        + APP
                        + " { parent { ... on Repository { ... on Node { ... on Repository { issues { totalCount } } } } } } }",
                rights);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "query($b: Boolean!) { viewer @skip(if: $b) { login } }",
                "{ viewer { login @include(if: true) } }",
                "{ ... @skip(if: true) { viewer { login } } }",
                "query @x { viewer { login } }",
                "{ ...a @include(if: false) } fragment a on Query { viewer { login } }",
                "{ ...a } fragment a on Query @x { viewer { login } }"
            })
    void g22_directivesAreRefused(String query) {
        assertThat(denied(body(query, Map.of("b", true)), rights).message()).contains("directives");
    }

    @Test
    void g22_aliasesCannotTakeOurNames() {
        denied("{ " + APP + " { sallyport_name: name } }", rights);
        denied("{ sallyport_x: " + APP + " { name } }", rights);
        denied("{ " + APP + " { id: name id } }", rights);
        denied(
                "{ " + APP + " { a: issue(number: 1) { title } a: issue(number: 2) { title } } }",
                rights);
    }

    @Test
    void g22_foreignRootsAreAnsweredLikeMissingOnesAndNotSent() {
        String query =
                "{ a: repository(owner: \"evil\", name: \"secret\") { name } b: "
                        + APP
                        + " { name } c:"
                        + " repository(owner: \"acme\", name: \"App.git\") { name } }";
        Verdict.Forward forward = forward(query, rights);

        assertThat(new String(forward.body(), StandardCharsets.UTF_8))
                .doesNotContain("evil")
                .doesNotContain(".git");
        assertThat(forward.withheld()).containsExactly("evil/secret", "acme/App.git");
        JsonNode answer =
                Queries.shaped(
                        forward,
                        """
                        {"data": {"a": {"name": "SECRET"}, "b": {"name": "app", "sallyport_name": "acme/app", "sallyport_number": 1}}}
                        """,
                        rights);
        assertThat(answer.toString()).doesNotContain("SECRET");
        assertThat(answer.at("/data/b/name").textValue()).isEqualTo("app");
        assertThat(answer.at("/data/a").isNull()).isTrue();
        assertThat(answer.at("/errors/0/type").textValue()).isEqualTo("NOT_FOUND");
        assertThat(answer.at("/errors/0/path/0").textValue()).isEqualTo("a");
    }

    @Test
    void g22_namesAreSentInTheSpellingOfTheGrantWithoutFollowingRenames() {
        Verdict.Forward forward =
                forward(
                        "{ repository(owner: \"ACME\", name: \"App\", followRenames: true) { name } }",
                        rights);

        assertThat(json(forward.body()).get("variables").toString())
                .isEqualTo("{\"v1\":\"acme\",\"v2\":\"app\",\"v3\":false}");
        assertThat(sent(forward)).contains("followRenames:$v3");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"query\": \"{ viewer { login } }\", \"query\": \"{ relay { id } }\"}",
                "[{\"query\": \"{ viewer { login } }\"}]",
                "{\"query\": \"{ viewer { login } }\", \"extensions\": {}}",
                "{\"query\": \"{ viewer { login } }\", \"id\": \"x\"}",
                "{\"query\": [\"{ viewer { login } }\"]}",
                "{\"query\": \"{ viewer { login } }\", \"variables\": []}",
                "{\"query\": \"{ viewer { login } }\", \"variables\": \"{}\"}",
                "{\"query\": \"query A { viewer { login } }\", \"operationName\": \"B\"}",
                "{\"query\": \"{ viewer { login } }\"} {}",
                "{\"variables\": {}}",
                "{}",
                "null",
                "",
                "{\"query\": null}"
            })
    void g22_aBodyIsOneRequest(String text) {
        assertThat(denied(text.getBytes(StandardCharsets.UTF_8), rights).refusal())
                .isEqualTo(Refusal.BAD_REQUEST);
    }

    @Test
    void g22_aBodyIsUtf8() {
        String text = "{\"query\": \"{ viewer { login } }\"}";
        denied(text.getBytes(StandardCharsets.UTF_16BE), rights);
        denied(text.getBytes(StandardCharsets.UTF_16LE), rights);
        denied(new byte[] {'{', '"', (byte) 0xff, '"', ':', '1', '}'}, rights);
    }

    @Test
    void g22_variablesMustBeOfTheTypeOfTheirPlace() {
        String query =
                "query($o: String!, $n: String!) { repository(owner: $o, name: $n) { name } }";
        assertThat(forward(body(query, Map.of("o", "acme", "n", "app")), rights).uses()).hasSize(1);
        denied(body(query, Map.of("o", "acme", "n", 5)), rights);
        denied(body(query, Map.of("o", "acme", "n", java.util.List.of("app"))), rights);
        denied(body(query, Map.of("o", "acme", "n", Map.of())), rights);
        denied(body(query, Map.of("o", "acme")), rights);
        denied(
                body(
                        "query($n: Int!) { repository(owner: \"acme\", name: $n) { name } }",
                        Map.of("n", 5)),
                rights);
        denied(
                body(
                        "query($n: ID!) { repository(owner: \"acme\", name: $n) { name } }",
                        Map.of("n", "app")),
                rights);
        denied("{ repository(owner: acme, name: \"app\") { name } }", rights);
        denied("{ repository(owner: \"acme\") { name } }", rights);
        denied("{ " + APP + " { issue(number: 1.0) { title } } }", rights);
        denied("{ " + APP + " { issue(number: \"1\") { title } } }", rights);
        denied("{ " + APP + " { issue(number: 99999999999) { title } } }", rights);
        denied("{ " + APP + " { issues(states: [[OPEN]]) { totalCount } } }", rights);
        denied("{ " + APP + " { issues(states: \"OPEN\") { totalCount } } }", rights);
        denied("{ " + APP + " { issues(states: NONE) { totalCount } } }", rights);
        denied("{ " + APP + " { issues(filterBy: {since: 5}) { totalCount } } }", rights);
        denied("{ " + APP + " { issues(filterBy: {unknown: 5}) { totalCount } } }", rights);
    }

    @Test
    void g22_escapesAndBlockStringsMeanWhatTheyMeanBeforeTheyAreCompared() {
        assertThat(
                        answered(
                                        "{ repository(owner: \"\\u0065vil\", name: \"\"\"secret\"\"\") { name } }",
                                        rights)
                                .at("/errors/0/message")
                                .textValue())
                .contains("evil/secret");
        forward("{ repository(owner: \"\\u0061cme\", name: \"\"\"app\"\"\") { name } }", rights);
        denied("{ repository(owner: \"acme\\u0000\", name: \"app\") { name } }", rights);
        denied("{ repository(owner: \"acme\\ud800\", name: \"app\") { name } }", rights);
    }

    @Test
    void g22_whatIsNestedDeeplyIsRefused() {
        String deep = "{ ... on Query ".repeat(2_000) + "{ viewer { login } }" + " }".repeat(2_000);
        denied(deep, rights);
        denied(
                "{ "
                        + APP
                        + " { issues(filterBy: "
                        + "{a: ".repeat(5_000)
                        + "1"
                        + "}".repeat(5_000)
                        + ") { totalCount } } }",
                rights);
        denied("{ viewer { login } }" + " ".repeat(70_000), rights);
        String wide =
                IntStream.range(0, 3_000)
                        .mapToObj(i -> "a" + i + ": login")
                        .collect(Collectors.joining(" "));
        denied("{ viewer { " + wide + " } }", rights);
    }

    /// What is the account's own is not asked for, and answered as if there was nothing.
    @Test
    void g22_whatIsWithheldIsNotSent() {
        Verdict.Forward forward =
                forward(
                        "{ "
                                + APP
                                + " { name viewerDefaultCommitEmail viewerPossibleCommitEmails fundingLinks { url }"
                                + " pullRequest(number: 1) { autoMergeRequest { authorEmail } projectCards(first: 1) { totalCount }"
                                + " projectItems(first: 1) { totalCount } } } }",
                        rights);

        assertThat(new String(forward.body(), StandardCharsets.UTF_8))
                .contains("name")
                .doesNotContain("Email", "fundingLinks", "autoMerge", "project");
    }

    @Test
    void g22_pagesHaveALimit() {
        denied("{ " + APP + " { issues(first: 101) { totalCount } } }", rights);
        denied("{ " + APP + " { issues(last: 2147483647) { totalCount } } }", rights);
        denied(
                body("query($n: Int = 1000) { " + APP + " { issues(first: $n) { totalCount } } }"),
                rights);
    }

    @Test
    void g22_aRequiredCheckIsAskedForThePullRequestsOfTheRepositoryOnly() {
        String query =
                "{ node(id: \"PR_1\") { ... on PullRequest { statusCheckRollup { contexts(first: 1) { nodes {"
                        + " ... on CheckRun { isRequired(pullRequestId: \"%s\") } } } } } } }";
        forward(query.formatted("PR_1"), rights);
        denied(query.formatted("PR_foreign"), rights);
        denied(query.formatted("I_2"), rights);
    }

    @Test
    void g22_everyLeafNeedsItsRight() {
        rights.allowed.remove(ApiOperation.CHECKS_READ);
        String checks = "{ " + APP + " { pullRequest(number: 1) { title %s } } }";

        assertThat(denied(checks.formatted("statusCheckRollup { state }"), rights).message())
                .contains("checks-read");
        assertThat(forward(checks.formatted(""), rights).uses())
                .containsExactly(
                        new Verdict.Use(
                                ApiOperation.PULL_READ,
                                SessionRights.APP,
                                java.util.Optional.empty()));
        rights.allowed.remove(ApiOperation.ISSUE_READ);
        denied("{ " + APP + " { issues { totalCount } } }", rights);
        denied("{ " + APP + " { issueOrPullRequest(number: 1) { ... on Issue { id } } } }", rights);
        denied(
                "mutation { createPullRequest(input: {repositoryId: \"R_1\", title: \"t\", baseRefName: \"main\", headRefName: \"x\"}) { pullRequest { closingIssuesReferences(first: 1) { nodes { title } } statusCheckRollup { state } } } }",
                rights);
    }
}

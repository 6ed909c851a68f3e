package dev.sallyport.forge.graphql;

import static dev.sallyport.forge.graphql.Queries.body;
import static dev.sallyport.forge.graphql.Queries.denied;
import static dev.sallyport.forge.graphql.Queries.forward;
import static dev.sallyport.forge.graphql.Queries.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.policy.ApiOperation;
import dev.sallyport.policy.Refusal;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// What the door is told about a change, and what goes up.
class MutationTest {
    private static final String CREATE =
            "mutation PullRequestCreate($input: CreatePullRequestInput!) { createPullRequest(input: $input) {"
                    + " pullRequest { id url } } }";
    private final SessionRights rights = SessionRights.usual();

    private static byte[] create(String head) {
        return body(
                CREATE,
                Map.of(
                        "input",
                        Map.of(
                                "repositoryId", "R_1",
                                "title", "T",
                                "body", "B",
                                "baseRefName", "main",
                                "headRefName", head)));
    }

    @Test
    void aNewPullRequestComesFromABranchOfTheRepository() {
        Verdict.Forward forward = forward(create("agent/x"), rights);

        Change change =
                new Change(
                        ApiOperation.PULL_OPEN,
                        SessionRights.APP,
                        Optional.of(new Change.Head(Optional.of(SessionRights.APP), "agent/x")),
                        Optional.of("main"),
                        Map.of("title", "T", "body", "B"),
                        List.of());
        assertThat(rights.changes).containsExactly(change);
        assertThat(forward.uses())
                .contains(
                        new Verdict.Use(
                                ApiOperation.PULL_OPEN, SessionRights.APP, Optional.of(change)));
    }

    @Test
    void g22_aHeadOfAnotherOwnerIsRefusedAndTheOwnOneWrittenPlainly() {
        assertThat(denied(create("evil:agent/x"), rights).refusal())
                .isEqualTo(Refusal.REF_NOT_ALLOWED);
        assertThat(rights.changes).isEmpty();

        JsonNode sent = json(forward(create("Acme:agent/x"), rights).body());
        assertThat(sent.at("/variables/v1/headRefName").textValue()).isEqualTo("agent/x");
        assertThat(rights.changes.getFirst().head().orElseThrow().branch()).isEqualTo("agent/x");
    }

    @Test
    void aChangeOfAPullRequestSaysWhereItsBranchIs() {
        forward(
                "mutation { updatePullRequest(input: {pullRequestId: \"PR_1\", baseRefName: \"prod\"}) { __typename } }",
                rights);

        Change change = rights.changes.getFirst();
        assertThat(change.operation()).isEqualTo(ApiOperation.PULL_EDIT);
        assertThat(change.head())
                .contains(new Change.Head(Optional.of(SessionRights.APP), "agent/x"));
        assertThat(change.base()).contains("prod");
    }

    @Test
    void aCommentIsOfThePullRequestOrOfTheIssue() {
        String comment =
                "mutation { addComment(input: {subjectId: \"%s\", body: \"x\"}) { clientMutationId } }";
        forward(comment.formatted("PR_1"), rights);
        forward(comment.formatted("I_2"), rights);

        assertThat(rights.changes)
                .extracting(Change::operation)
                .containsExactly(ApiOperation.PULL_COMMENT, ApiOperation.ISSUE_COMMENT);
        rights.allowed.remove(ApiOperation.ISSUE_COMMENT);
        denied(comment.formatted("I_2"), rights);
        assertThat(rights.changes).hasSize(2);
    }

    @Test
    void aReplyIsACommentOnThePullRequestOfItsThread() {
        forward(
                "mutation { addPullRequestReviewThreadReply(input: {pullRequestReviewThreadId: \"PRRT_1\", body: \"x\"}) { comment { id } } }",
                rights);

        Change change = rights.changes.getFirst();
        assertThat(change.operation()).isEqualTo(ApiOperation.PULL_COMMENT);
        assertThat(change.head())
                .contains(new Change.Head(Optional.of(SessionRights.APP), "agent/x"));
        assertThat(change.texts()).containsEntry("body", "x");
    }

    @Test
    void reviewersAreNamedAndOnlyAdded() {
        byte[] asked =
                body(
                        "mutation($input: RequestReviewsInput!) { requestReviews(input: $input) { clientMutationId } }",
                        Map.of(
                                "input",
                                Map.of(
                                        "pullRequestId",
                                        "PR_1",
                                        "userIds",
                                        List.of("U_1"),
                                        "union",
                                        false)));

        JsonNode sent = json(forward(asked, rights).body());
        assertThat(rights.changes.getFirst().reviewers()).containsExactly("bob");
        assertThat(sent.at("/variables/v1/union").booleanValue()).isTrue();
        forward(
                "mutation { requestReviewsByLogin(input: {pullRequestId: \"PR_1\", userLogins: [\"bob\"], teamSlugs: [\"acme/core\"]}) { clientMutationId } }",
                rights);
        assertThat(rights.changes.getLast().reviewers())
                .containsExactly("bob", "teamSlugs/acme/core");
    }

    @Test
    void whatTheDoorObjectsToIsRefused() {
        rights.objection = Optional.of(new Verdict.Denied(Refusal.REF_NOT_ALLOWED, "not yours"));

        assertThat(denied(create("main"), rights).message()).isEqualTo("not yours");
    }

    @Test
    void anObjectionIsNotAskedForWithoutTheRight() {
        rights.allowed.remove(ApiOperation.PULL_OPEN);

        assertThat(denied(create("agent/x"), rights).message()).contains("pull-open");
        assertThat(rights.changes).isEmpty();
    }

    @Test
    void aNewPullRequestIsLearnedFromTheAnswer() {
        Verdict.Forward forward = forward(create("agent/x"), rights);
        JsonNode answer =
                Queries.shaped(
                        forward,
                        """
                        {"data": {"createPullRequest": {"pullRequest": {"id": "PR_9", "url": "u",
                          "sallyport_repository": {"sallyport_name": "acme/app", "sallyport_number": 1},
                          "sallyport_head": "agent/x", "sallyport_from": {"sallyport_name": "acme/app", "sallyport_number": 1}}}}}
                        """,
                        rights);

        assertThat(answer.toString())
                .isEqualTo(
                        "{\"data\":{\"createPullRequest\":{\"pullRequest\":{\"id\":\"PR_9\",\"url\":\"u\"}}}}");
        assertThat(rights.places.get("PR_9"))
                .isEqualTo(
                        new Placed.PullRequest(
                                SessionRights.APP, Optional.of(SessionRights.APP), "agent/x"));
    }
}

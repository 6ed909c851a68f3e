package dev.sallyport.forge.graphql;

import static dev.sallyport.forge.graphql.Queries.answered;
import static dev.sallyport.forge.graphql.Queries.body;
import static dev.sallyport.forge.graphql.Queries.forward;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Ids in queries: they name things and prove nothing.
class QueryIdTest {
    private final SessionRights rights = SessionRights.usual();

    @Test
    void g23_anIdIsAskedForBeforeItIsUsed() {
        String query = "query($id: ID!) { node(id: $id) { ... on PullRequest { title } } }";
        Verdict verdict =
                Queries.JUDGE.judge(Queries.SESSION, body(query, Map.of("id", "PR_new")), rights);

        assertThat(verdict).isEqualTo(new Verdict.AskFirst(java.util.Set.of("PR_new")));
    }

    @Test
    void g23_aForeignIdIsAnsweredLikeAMissingOne() {
        JsonNode node =
                answered("{ node(id: \"PR_foreign\") { ... on PullRequest { title } } }", rights);
        assertThat(node.at("/data/node").isNull()).isTrue();
        assertThat(node.at("/errors/0/type").textValue()).isEqualTo("NOT_FOUND");

        JsonNode changed =
                answered(
                        "mutation { addComment(input: {subjectId: \"PR_foreign\", body: \"x\"}) { clientMutationId } }",
                        rights);
        assertThat(changed.at("/data/addComment").isNull()).isTrue();
        assertThat(changed.at("/errors/0/type").textValue()).isEqualTo("NOT_FOUND");
        assertThat(rights.changes).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "closePullRequest(input: {pullRequestId: \"I_2\"}) { clientMutationId }",
                "closePullRequest(input: {pullRequestId: \"R_1\"}) { clientMutationId }",
                "closePullRequest(input: {pullRequestId: \"PR_lost\"}) { clientMutationId }",
                "addPullRequestReviewThreadReply(input: {pullRequestReviewThreadId: \"PRRT_lost\", body: \"x\"}) { clientMutationId }",
                "addComment(input: {subjectId: \"PRRT_1\", body: \"x\"}) { clientMutationId }",
                "addPullRequestReviewThreadReply(input: {pullRequestReviewThreadId: \"PR_1\", body: \"x\"}) { clientMutationId }",
                "createIssue(input: {repositoryId: \"PR_1\", title: \"t\"}) { clientMutationId }",
                "addComment(input: {subjectId: \"R_1\", body: \"x\"}) { clientMutationId }",
                "requestReviews(input: {pullRequestId: \"PR_1\", userIds: [\"I_2\"]}) { clientMutationId }"
            })
    void g23_anIdOfAnotherTypeOrPlaceIsNone(String mutation) {
        JsonNode answer = answered("mutation { " + mutation + " }", rights);

        assertThat(answer.at("/errors/0/type").textValue()).isEqualTo("NOT_FOUND");
        assertThat(rights.changes).isEmpty();
    }

    @Test
    void g23_ofSeveralNodesTheForeignOnesAreNotSent() {
        Verdict.Forward forward =
                forward(
                        "{ nodes(ids: [\"PR_foreign\", \"I_2\", \"PR_1\"]) { __typename ... on Issue { title } ... on PullRequest { title } } }",
                        rights);

        assertThat(new String(forward.body(), StandardCharsets.UTF_8)).doesNotContain("PR_foreign");
        JsonNode answer =
                Queries.shaped(
                        forward,
                        """
                        {"data": {"nodes": [
                          {"__typename": "Issue", "title": "mine", "sallyport_type": "Issue",
                           "sallyport_repository": {"sallyport_name": "acme/app", "sallyport_number": 1}},
                          {"__typename": "PullRequest", "title": "SECRET", "sallyport_type": "PullRequest",
                           "sallyport_repository": {"sallyport_name": "evil/secret", "sallyport_number": 2}}]}}
                        """,
                        rights);
        assertThat(answer.at("/data/nodes").toString())
                .isEqualTo("[null,{\"__typename\":\"Issue\",\"title\":\"mine\"},null]");
    }
}

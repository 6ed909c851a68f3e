package dev.sallyport.forge.graphql;

import static dev.sallyport.forge.graphql.Queries.answered;
import static dev.sallyport.forge.graphql.Queries.forward;
import static dev.sallyport.forge.graphql.Queries.sent;
import static dev.sallyport.forge.graphql.Queries.shaped;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.policy.ApiOperation;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What a client gets of an answer.
class ShapingTest {
    private static final String APP = "repository(owner: \"acme\", name: \"app\")";
    private static final String MINE = "\"sallyport_name\": \"acme/app\", \"sallyport_number\": 1";
    private static final String FOREIGN =
            "\"sallyport_name\": \"evil/secret\", \"sallyport_number\": 2";
    private final SessionRights rights = SessionRights.usual();

    private JsonNode repository(String query, String answer) {
        return shaped(
                        forward("{ " + APP + " { " + query + " } }", rights),
                        "{\"data\": {\"repository\": {" + MINE + ", " + answer + "}}}",
                        rights)
                .at("/data/repository");
    }

    @Test
    void g22_onlyWhatWasAskedForIsInTheAnswer() {
        JsonNode answer =
                repository(
                        "n: name",
                        "\"n\": \"app\", \"name\": \"x\", \"tempCloneToken\": \"SECRET\"");

        assertThat(answer.toString()).isEqualTo("{\"n\":\"app\"}");
    }

    @Test
    void g22_aForeignParentOrHeadIsNull() {
        assertThat(
                        repository(
                                        "parent { name }",
                                        "\"parent\": {\"name\": \"SECRET\", " + FOREIGN + "}")
                                .toString())
                .isEqualTo("{\"parent\":null}");
        assertThat(
                        repository(
                                        "pullRequest(number: 1) { headRepository { name } title }",
                                        "\"pullRequest\": {\"title\": \"t\", \"sallyport_repository\": {"
                                                + MINE
                                                + "}, \"headRepository\": {\"name\": \"SECRET\", "
                                                + FOREIGN
                                                + "}}")
                                .toString())
                .isEqualTo("{\"pullRequest\":{\"headRepository\":null,\"title\":\"t\"}}");
    }

    @Test
    void aGrantedHeadIsThere() {
        assertThat(
                        repository(
                                        "parent { name }",
                                        "\"parent\": {\"name\": \"app\", " + MINE + "}")
                                .toString())
                .isEqualTo("{\"parent\":{\"name\":\"app\"}}");
    }

    @Test
    void g22_foreignReferencesAreLeftOutOfLists() {
        String answer =
                """
                "pullRequest": {"sallyport_repository": {%1$s}, "closingIssuesReferences": {
                  "nodes": [{"title": "mine", "sallyport_repository": {%1$s}}, {"title": "SECRET", "sallyport_repository": {%2$s}}],
                  "edges": [{"node": {"title": "SECRET", "sallyport_repository": {%2$s}}}]}}"""
                        .formatted(MINE, FOREIGN);

        assertThat(
                        repository(
                                        "pullRequest(number: 1) { closingIssuesReferences(first: 2) { nodes { title } edges { node { title } } } }",
                                        answer)
                                .at("/pullRequest/closingIssuesReferences")
                                .toString())
                .isEqualTo("{\"nodes\":[{\"title\":\"mine\"}],\"edges\":[]}");
    }

    /// What a reference leads to may be granted for something else than reading it.
    @Test
    void g22_aReferenceShowsOnlyWhatMayBeReadThere() {
        rights.allowed.remove(ApiOperation.ISSUE_READ);
        String answer =
                """
                "pullRequest": {"sallyport_repository": {%1$s}, "closingIssuesReferences": {
                  "nodes": [{"title": "SECRET", "sallyport_repository": {%1$s}}]}}"""
                        .formatted(MINE);

        assertThat(
                        repository(
                                        "pullRequest(number: 1) { closingIssuesReferences(first: 2) { nodes { title } } }",
                                        answer)
                                .toString())
                .contains("\"nodes\":[]")
                .doesNotContain("SECRET");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"sallyport_name\": \"acme/other\", \"sallyport_number\": 1",
                "\"sallyport_name\": \"acme/app\", \"sallyport_number\": 2",
                "\"sallyport_name\": \"acme/app\"",
                "\"sallyport_number\": 1",
                "\"sallyport_name\": \"acme/app\", \"sallyport_number\": \"1\"",
                "\"x\": 1"
            })
    void g23_anAnswerAboutAnotherRepositoryIsNotFound(String says) {
        JsonNode answer =
                shaped(
                        forward("{ " + APP + " { name } }", rights),
                        "{\"data\": {\"repository\": {\"name\": \"SECRET\", " + says + "}}}",
                        rights);

        assertThat(answer.toString()).doesNotContain("SECRET");
        assertThat(answer.at("/data/repository").isNull()).isTrue();
        assertThat(answer.at("/errors/0/type").textValue()).isEqualTo("NOT_FOUND");
        assertThat(answer.at("/errors/0/message").textValue())
                .isEqualTo("Could not resolve to a Repository with the name 'acme/app'.");
    }

    @Test
    void g23_anAnswerAboutAnotherGrantedRepositoryIsNotFoundEither() {
        rights.granted.put("acme/other", SessionRights.view("acme", "other", OptionalLong.of(3)));
        JsonNode answer =
                shaped(
                        forward("{ " + APP + " { name } }", rights),
                        "{\"data\": {\"repository\": {\"name\": \"other\", \"sallyport_name\": \"acme/other\", \"sallyport_number\": 3}}}",
                        rights);

        assertThat(answer.at("/data/repository").isNull()).isTrue();
        assertThat(answer.at("/errors/0/type").textValue()).isEqualTo("NOT_FOUND");
    }

    @Test
    void g23_theNumberOfARepositoryIsLearnedWithItsFirstAnswer() {
        rights.granted.put("acme/app", SessionRights.view("acme", "app", OptionalLong.empty()));
        Verdict.Forward forward = forward("{ " + APP + " { id name } }", rights);
        shaped(
                forward,
                "{\"data\": {\"repository\": {\"id\": \"R_7\", \"name\": \"app\", " + MINE + "}}}",
                rights);

        assertThat(rights.granted.get("acme/app").databaseId()).hasValue(1);
        assertThat(rights.places.get("R_7")).isInstanceOf(Placed.Repository.class);
        JsonNode taken =
                shaped(
                        forward,
                        "{\"data\": {\"repository\": {\"name\": \"SECRET\", \"sallyport_name\": \"acme/app\", \"sallyport_number\": 2}}}",
                        rights);
        assertThat(taken.at("/data/repository").isNull()).isTrue();
    }

    @Test
    void projectCardsAreAnsweredByTheGateway() {
        Verdict.Forward forward =
                forward(
                        "{ "
                                + APP
                                + " { pullRequest(number: 1) { projectCards(first: 100) { nodes { project { name } column { name } } totalCount } } } }",
                        rights);

        assertThat(sent(forward)).doesNotContain("projectCards");
        assertThat(
                        shaped(
                                        forward,
                                        "{\"data\": {\"repository\": {"
                                                + MINE
                                                + ", \"pullRequest\": {\"sallyport_repository\": {"
                                                + MINE
                                                + "}}}}}",
                                        rights)
                                .at("/data/repository/pullRequest")
                                .toString())
                .isEqualTo("{\"projectCards\":{\"nodes\":[],\"totalCount\":0}}");
    }

    @Test
    void theViewerIsTheSession() {
        assertThat(answered("{ viewer { login __typename } }", rights).toString())
                .isEqualTo(
                        "{\"data\":{\"viewer\":{\"login\":\"octocat\",\"__typename\":\"User\"}}}");
    }

    @Test
    void errorsAreGivenOnWithoutThoseOfOurOwnFields() {
        JsonNode answer =
                shaped(
                        forward("{ " + APP + " { name } }", rights),
                        """
                        {"data": {"repository": null}, "extensions": {"a": "SECRET"}, "errors": [
                          {"type": "FORBIDDEN", "path": ["repository", "name"], "message": "no", "locations": [{"line": 1}], "secret": "SECRET"},
                          {"type": "FORBIDDEN", "path": ["repository", "sallyport_name"], "message": "SECRET"}]}
                        """,
                        rights);

        assertThat(answer.toString())
                .isEqualTo(
                        "{\"data\":{\"repository\":null},\"errors\":[{\"type\":\"FORBIDDEN\",\"path\":[\"repository\",\"name\"],\"message\":\"no\"}]}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[]",
                "null",
                "{}",
                "{\"message\": \"Bad credentials\"}",
                "{\"data\": \"x\"}",
                "{\"data\": {}, \"data\": {}}",
                "{\"data\": {\"repository\": \"x\"}}",
                "{\"data\": {\"repository\": {\"sallyport_name\": \"acme/app\", \"sallyport_number\": 1, \"name\": {\"a\": 1}}}}"
            })
    void anAnswerOfAnotherFormIsRefused(String answer) {
        Verdict.Forward forward = forward("{ " + APP + " { name } }", rights);

        assertThatThrownBy(
                        () ->
                                forward.shaping()
                                        .apply(answer.getBytes(StandardCharsets.UTF_8), rights))
                .isInstanceOf(RefusedAnswerException.class);
    }

    @Test
    void peopleAreLearnedForReviews() {
        repository(
                "assignableUsers(first: 1) { nodes { id login } }",
                "\"assignableUsers\": {\"nodes\": [{\"id\": \"U_5\", \"login\": \"eve\", \"sallyport_login\": \"eve\"}]}");

        assertThat(rights.places.get("U_5")).isEqualTo(new Placed.Person("eve"));
    }

    @Test
    void g23_idsArePlacedByWhatUpstreamSays() throws RefusedAnswerException {
        Set<String> ids = Set.of("a", "b", "c", "d", "e", "f", "g");
        assertThat(Queries.json(PlacingQuestion.body(ids)).at("/variables/ids").size())
                .isEqualTo(7);
        String answer =
                """
                {"data": {"nodes": [
                  {"sallyport_type": "Repository", %1$s},
                  {"sallyport_type": "PullRequest", "sallyport_repository": {%1$s}, "sallyport_head": "x", "sallyport_from": {%2$s}},
                  {"sallyport_type": "Issue", "sallyport_repository": {%2$s}},
                  null,
                  {"sallyport_type": "User", "sallyport_login": "bob"},
                  {"sallyport_type": "PullRequestReviewThread", "sallyport_pull": {"sallyport_repository": {%1$s}, "sallyport_head": "x", "sallyport_from": {%2$s}}},
                  {"sallyport_type": "PullRequestReviewThread", "sallyport_pull": {"sallyport_repository": {%2$s}, "sallyport_head": "x", "sallyport_from": {%2$s}}}]}}"""
                        .formatted(MINE, FOREIGN);

        Placed.PullRequest fork = new Placed.PullRequest(SessionRights.APP, Optional.empty(), "x");
        assertThat(PlacingQuestion.read(answer.getBytes(StandardCharsets.UTF_8), ids, rights))
                .isEqualTo(
                        Map.of(
                                "a", new Placed.Repository(SessionRights.APP),
                                "b", fork,
                                "c", new Placed.Elsewhere(),
                                "d", new Placed.Elsewhere(),
                                "e", new Placed.Person("bob"),
                                "f", new Placed.Discussion(fork),
                                "g", new Placed.Elsewhere()));
    }

    @Test
    void featuresAreLookedForInOurSchema() {
        JsonNode answer =
                answered(
                        "query PullRequest_fields { PullRequest: __type(name: \"PullRequest\") { fields(includeDeprecated: true) { name } }"
                                + " SearchType: __type(name: \"SearchType\") { enumValues { name } } None: __type(name: \"LinkedBranch\") { fields { name } } }",
                        rights);

        assertThat(answer.at("/data/PullRequest/fields").findValuesAsText("name"))
                .contains("title")
                .doesNotContain("timelineItems");
        assertThat(answer.at("/data/SearchType/enumValues").findValuesAsText("name"))
                .containsExactly("ISSUE");
        assertThat(answer.at("/data/None").isNull()).isTrue();
    }
}

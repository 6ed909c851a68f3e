package dev.sallyport.forge.graphql;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.fasterxml.jackson.databind.JsonNode;
import graphql.parser.Parser;
import graphql.validation.OperationValidationRule;
import graphql.validation.Validator;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;

final class QueryJudgeFuzz {
    private static final GithubSchema SCHEMA = GithubSchema.load();
    private static final Map<String, ?> VARIABLES =
            Map.of("owner", "acme", "repo", "app", "name", "app", "number", 1, "id", "PR_1");
    private static final String QUERY =
            "query($owner: String!, $repo: String!, $id: ID!, $input: [IssueState!], $filter: IssueFilters)"
                    + " { repository(owner: $owner, name: $repo) { id parent { id name } issues(states: $input,"
                    + " filterBy: $filter) { nodes { id title parent { title } } } } node(id: $id) { ... on"
                    + " PullRequest { id body } } }";

    /// The first byte says what the others are: a body, a query, variables, or an answer.
    @FuzzTest
    void whatGoesUpIsOfTheSchemaAndWhatComesBackIsOfTheQuery(byte[] input) {
        if (input.length == 0) {
            return;
        }
        byte[] rest = Arrays.copyOfRange(input, 1, input.length);
        switch (input[0] & 3) {
            case 0 -> judged(rest);
            case 1 -> judged(Queries.body(new String(rest, StandardCharsets.UTF_8), VARIABLES));
            case 2 ->
                    judged(
                            ("{\"query\": \""
                                            + QUERY
                                            + "\", \"variables\": "
                                            + new String(rest, StandardCharsets.UTF_8)
                                            + "}")
                                    .getBytes(StandardCharsets.UTF_8));
            default -> answered(rest);
        }
    }

    private static void judged(byte[] body) {
        Verdict verdict = Queries.JUDGE.judge(Queries.SESSION, body, SessionRights.usual());
        if (verdict instanceof Verdict.Forward forward) {
            JsonNode sent = Queries.json(forward.body());
            String query = sent.get("query").textValue();
            assertThat(query).doesNotContain("\"").doesNotContain("@").doesNotContain("#");
            assertThat(
                            new Validator()
                                    .validateDocument(
                                            SCHEMA.types(),
                                            Parser.parse(query),
                                            rule ->
                                                    rule
                                                            != OperationValidationRule
                                                                    .OVERLAPPING_FIELDS_CAN_BE_MERGED,
                                            Locale.ROOT))
                    .isEmpty();
        }
    }

    private static void answered(byte[] answer) {
        SessionRights rights = SessionRights.usual();
        Verdict.Forward forward = Queries.forward(Queries.body(QUERY, VARIABLES), rights);
        try {
            byte[] shaped = forward.shaping().apply(answer, rights);
            JsonNode data = Queries.json(shaped).path("data");
            assertThat(data.properties().stream().map(Map.Entry::getKey))
                    .isSubsetOf("repository", "node");
            assertThat(data.path("repository").properties().stream().map(Map.Entry::getKey))
                    .isSubsetOf("id", "parent", "issues");
        } catch (RefusedAnswerException _) {
            assertThat(rights.changes).isEmpty();
        }
    }
}

package dev.sallyport.forge.graphql;

import static dev.sallyport.forge.graphql.Queries.body;
import static dev.sallyport.forge.graphql.Queries.forward;
import static dev.sallyport.forge.graphql.Queries.shaped;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// G22: a search is of granted repositories, however it is written.
class SearchTextTest {
    private static final String QUERY =
            "query($q: String!) { search(query: $q, type: ISSUE, first: 5) { issueCount nodes { ... on Issue { title } ... on PullRequest { title } } } }";
    private final SessionRights rights = SessionRights.usual();

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\'',
            value = {
                "repo:acme/app state:open is:pr author:@me | repo:acme/app state:open is:pr author:@me",
                "fix in:title draft:true label:bug repo:ACME/App | repo:acme/app fix in:title draft:true label:bug",
                "repo:acme/app label:\"good first issue\" | repo:acme/app label:\"good first issue\"",
                "repo:acme/app repo:evil/secret x | repo:acme/app x",
                "repo:\"acme/app\" -label:a,b | repo:acme/app -label:a,b",
                "repo:acme/app or not | repo:acme/app \"or\" \"not\"",
                "repo:acme/app \"user:evil OR (x)\" y | !",
                "repo:acme/app \"user:evil\" | repo:acme/app \"user:evil\"",
                "repo:acme/app label:kind:bug | repo:acme/app label:\"kind:bug\"",
                "repo:acme/app is:repo:evil/secret | repo:acme/app is:\"repo:evil/secret\"",
                "repo:acme/app \"x\"OR\"y\" | repo:acme/app \"xORy\"",
                "repo:acme/app a&b | repo:acme/app \"a&b\"",
                "repo:acme/app created:>2020-01-01T00:00:00+01:00 | repo:acme/app created:>2020-01-01T00:00:00+01:00"
            })
    void isBuiltAnew(String written, String expected) throws RefusedQueryException {
        if (!expected.equals("!")) {
            assertThat(SearchText.parse(written, rights).text()).isEqualTo(expected);
        } else {
            assertThatThrownBy(() -> SearchText.parse(written, rights))
                    .isInstanceOf(RefusedQueryException.class);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "x",
                "",
                "repo:acme/app OR repo:evil/secret",
                "repo:acme/app AND x",
                "repo:acme/app NOT x",
                "(repo:acme/app)",
                "repo:acme/app (x)",
                "repo:acme/app user:evil",
                "repo:acme/app org:evil",
                "repo:acme/app -org:acme",
                "repo:acme/app owner:evil",
                "repo:acme/app project:evil/1",
                "repo:acme/app team:evil/x",
                "repo:acme/app topic:x",
                "-repo:acme/app",
                "--repo:evil/secret repo:acme/app",
                "repo:acme/app label:\"x",
                "repo:acme/app label:\"x\"user:evil",
                "repo:acme/app label:x\u00a0repo:evil/secret",
                "repo:acme/app x\u00a0repo:evil/secret",
                "repo:acme/app \\\"user:evil",
                "repo:acme/app label:(a)",
                "repo:acme/app https://github.com/evil/secret/issues/1"
            })
    void g22_whatMightWidenItIsRefused(String written) {
        assertThatThrownBy(() -> SearchText.parse(written, rights))
                .isInstanceOf(RefusedQueryException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "repo:evil/secret",
                "repo:acme/app,evil/secret",
                "repo:acme/app\u00a0repo:evil/secret",
                "repo:acme/app\u00a0user:evil",
                "repo:acme/*",
                "repo:acme"
            })
    void g22_aForeignScopeFindsNothingAndIsNotSent(String written) {
        Verdict verdict =
                Queries.JUDGE.judge(Queries.SESSION, body(QUERY, Map.of("q", written)), rights);

        assertThat(verdict).isInstanceOf(Verdict.Answered.class);
        assertThat(Queries.json(((Verdict.Answered) verdict).json()).toString())
                .isEqualTo("{\"data\":{\"search\":{\"issueCount\":0,\"nodes\":[]}}}");
    }

    @Test
    void g22_oneForeignResultMeansThatNothingWasFound() {
        Verdict.Forward forward = forward(body(QUERY, Map.of("q", "repo:acme/app x")), rights);
        JsonNode answer =
                shaped(
                        forward,
                        """
                        {"data": {"search": {"issueCount": 5000, "nodes": [{"title": "SECRET"}], "sallyport_found": [
                          {"sallyport_type": "Issue", "sallyport_repository": {"sallyport_name": "acme/app", "sallyport_number": 1}},
                          {"sallyport_type": "Issue", "sallyport_repository": {"sallyport_name": "evil/secret", "sallyport_number": 2}}]}}}
                        """,
                        rights);

        assertThat(answer.toString())
                .isEqualTo("{\"data\":{\"search\":{\"issueCount\":0,\"nodes\":[]}}}");
    }

    @Test
    void whatIsFoundInTheRepositoryIsThere() {
        String mine =
                "\"sallyport_type\": \"Issue\", \"sallyport_repository\": {\"sallyport_name\": \"acme/app\", \"sallyport_number\": 1}";
        JsonNode answer =
                shaped(
                        forward(body(QUERY, Map.of("q", "repo:acme/app x")), rights),
                        "{\"data\": {\"search\": {\"issueCount\": 1, \"nodes\": [{\"title\": \"t\", %s}], \"sallyport_found\": [{%s}]}}}"
                                .formatted(mine, mine),
                        rights);

        assertThat(answer.toString())
                .isEqualTo(
                        "{\"data\":{\"search\":{\"issueCount\":1,\"nodes\":[{\"title\":\"t\"}]}}}");
    }
}

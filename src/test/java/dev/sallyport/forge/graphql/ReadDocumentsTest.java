package dev.sallyport.forge.graphql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.forge.graphql.QueryJudge.ReadDocuments;
import dev.sallyport.policy.ApiOperation;
import dev.sallyport.policy.SessionId;
import graphql.language.Document;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// A document is read once, and judged each time.
class ReadDocumentsTest {
    private static final String TITLE =
            """
            query($n: Int!) {
              repository(owner: "acme", name: "app") { pullRequest(number: $n) { title } }
            }
            """;

    private final ReadDocuments documents = new ReadDocuments();
    private final QueryJudge judge = new QueryJudge(documents);
    private final SessionId session = SessionId.random();
    private final SessionRights rights = SessionRights.usual();

    private Verdict judge(String query, Map<String, ?> variables) {
        return judge.judge(session, Queries.body(query, variables), rights);
    }

    @Test
    void readsADocumentOnceAndPutsInTheVariablesOfEachTime() {
        Verdict first = judge(TITLE, Map.of("n", 7));
        Document read = documents.known(session, TITLE).orElseThrow();
        Verdict second = judge(TITLE, Map.of("n", 8));

        assertThat(documents.known(session, TITLE).orElseThrow()).isSameAs(read);
        assertThat(Queries.json(((Verdict.Forward) first).body()).get("variables"))
                .anyMatch(value -> value.asInt() == 7);
        assertThat(Queries.json(((Verdict.Forward) second).body()).get("variables"))
                .anyMatch(value -> value.asInt() == 8)
                .noneMatch(value -> value.asInt() == 7);
    }

    @Test
    void judgesADocumentThatWasReadWithTheRightsOfNow() {
        assertThat(judge(TITLE, Map.of("n", 7))).isInstanceOf(Verdict.Forward.class);

        rights.allowed.remove(ApiOperation.PULL_READ);

        assertThat(judge(TITLE, Map.of("n", 7))).isInstanceOf(Verdict.Denied.class);
        assertThat(judge(TITLE, Map.of("n", "seven"))).isInstanceOf(Verdict.Denied.class);
    }

    @Test
    void keepsNothingThatIsNotValid() {
        // A variable of another type than its place: found by the language's own rules only.
        String invalid = TITLE.replace("Int!", "Int");
        String malformed = TITLE.replace("title", "noSuchField");

        assertThat(judge(invalid, Map.of("n", 7))).isInstanceOf(Verdict.Denied.class);
        assertThat(judge(malformed, Map.of("n", 7))).isInstanceOf(Verdict.Denied.class);

        assertThat(documents.known(session, invalid)).isEmpty();
        assertThat(documents.known(session, malformed)).isEmpty();
        assertThat(judge(invalid, Map.of("n", 7))).isInstanceOf(Verdict.Denied.class);
    }

    @Test
    void keepsADocumentForItsOwnSessionOnly() {
        judge(TITLE, Map.of("n", 7));

        assertThat(documents.known(session, TITLE)).isPresent();
        assertThat(documents.known(SessionId.random(), TITLE)).isEmpty();
    }

    @Test
    void keepsFewDocumentsAndNoLongOnes() {
        Document document = Document.newDocument().build();
        String tooLong = "x".repeat(ReadDocuments.CHARACTERS_MAX + 1);
        documents.keep(session, tooLong, document);
        for (int i = 0; i <= ReadDocuments.DOCUMENTS_MAX; i++) {
            documents.keep(SessionId.random(), "other", document);
            documents.keep(session, "used", document);
        }

        assertThat(documents.known(session, tooLong)).isEmpty();
        assertThat(documents.known(session, "used")).isEqualTo(Optional.of(document));
        assertThat(documents.size()).isEqualTo(ReadDocuments.DOCUMENTS_MAX);
    }
}

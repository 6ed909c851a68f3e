package dev.sallyport.forge.graphql;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/// G22: whatever query the schema allows, no byte of another repository comes back.
class ForeignBytesTest {
    private static final int QUERIES = 1_500;
    private final GithubSchema schema = GithubSchema.load();

    @Test
    void g22_noQueryOfTheSchemaYieldsAByteOfAForeignRepository() throws Exception {
        HostileGraph upstream = new HostileGraph(schema);
        int forwarded = 0;
        int tempting = 0;
        int useful = 0;
        for (long seed = 0; seed < QUERIES; seed++) {
            String query = new RandomQuery(schema, seed).text();
            SessionRights rights = SessionRights.usual();
            Verdict verdict = Queries.JUDGE.judge(Queries.SESSION, Queries.body(query), rights);
            assertThat(verdict).as(query).isNotInstanceOf(Verdict.AskFirst.class);
            if (verdict instanceof Verdict.Forward forward) {
                byte[] answer = upstream.answer(forward.body(), seed);
                String shaped = shaped(forward, answer, rights);
                forwarded++;
                tempting += text(answer).contains(HostileGraph.SECRET) ? 1 : 0;
                useful += shaped.contains("fine") ? 1 : 0;
                assertThat(text(forward.body())).as(query).doesNotContain("evil");
                assertThat(shaped)
                        .as(query)
                        .doesNotContain(HostileGraph.SECRET)
                        .doesNotContain("666666")
                        .doesNotContain(Expansion.OURS);
                assertThat(rights.places.toString()).doesNotContain(HostileGraph.SECRET);
            }
        }
        assertThat(forwarded).isGreaterThan(QUERIES / 2);
        assertThat(tempting).isGreaterThan(QUERIES / 4);
        assertThat(useful).isGreaterThan(QUERIES / 4);
    }

    private static String shaped(Verdict.Forward forward, byte[] answer, SessionRights rights)
            throws RefusedAnswerException {
        return text(forward.shaping().apply(answer, rights));
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}

package dev.sallyport.lfs;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.sallyport.policy.GitService;
import dev.sallyport.policy.HostName;
import dev.sallyport.relay.RefusedException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

final class BatchAnswerFuzz {
    private static final HostName HOME = new HostName("git.test.example");
    private static final HostName STORE = new HostName("store.lfs.example");
    private static final String SECRET = "s3cr3t";
    private static final Oid ONE = new Oid("a".repeat(64));
    private static final BatchRequest ASKED =
            new BatchRequest(
                    GitService.RECEIVE_PACK,
                    Optional.empty(),
                    List.of(new LfsObject(ONE, 7), new LfsObject(new Oid("b".repeat(64)), 8)));

    /// G26: whatever a git host answers, objects are transferred with known stores, by paths and
    /// fields that cannot change the request, and the git credential stays at home.
    @FuzzTest
    void transfersStayWithKnownStores(byte[] input) {
        ActionReader reader =
                new ActionReader(
                        HOME,
                        host -> host.equals(HOME) || host.equals(STORE),
                        text -> text.contains(SECRET),
                        Instant.EPOCH);
        BatchAnswer answer;
        try {
            answer = BatchAnswer.parse(input, ASKED, reader);
        } catch (RefusedException _) {
            return;
        }
        assertThat(answer.results()).hasSizeLessThanOrEqualTo(2);
        for (BatchAnswer.Result result : answer.results().values()) {
            if (result instanceof BatchAnswer.Result.Actions(var byVerb)) {
                assertThat(byVerb).doesNotContainKey(Action.Verb.DOWNLOAD);
                byVerb.values().forEach(BatchAnswerFuzz::check);
            }
        }
    }

    private static void check(Action action) {
        assertThat(action.place().host()).isIn(HOME, STORE);
        assertThat(action.place().target()).matches("/[!-~]*").doesNotContain("#", SECRET);
        assertThat(action.seconds()).isBetween(1, 3_600);
        assertThat(action.own()).isIn(false, action.place().host().equals(HOME));
        assertThat(action.fields().keySet())
                .allMatch(name -> name.matches("[a-z0-9_-]+"))
                .doesNotContainAnyElementsOf(
                        Set.of("host", "content-length", "transfer-encoding", "connection"));
        assertThat(action.fields().values())
                .allMatch(value -> value.matches("[ -~]*") && !value.contains(SECRET));
    }
}

package dev.sallyport.lfs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.policy.Access;
import dev.sallyport.policy.Decision;
import dev.sallyport.policy.GitPermit;
import dev.sallyport.policy.GitService;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.LfsRules;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.PushRules;
import dev.sallyport.policy.RefVisibility;
import dev.sallyport.policy.RepoGrant;
import dev.sallyport.policy.RepoName;
import dev.sallyport.policy.RepoPattern;
import dev.sallyport.policy.SessionId;
import dev.sallyport.relay.StorePlace;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ActionTableTest {
    private final AtomicLong now = new AtomicLong();
    private final ActionTable table = new ActionTable(now::get);

    private static GitPermit permit() throws Exception {
        SessionId session = SessionId.random();
        RepoGrant grant =
                new RepoGrant(
                                RepoPattern.parse("git.example.com/acme/app"),
                                Access.WRITE,
                                RefVisibility.all(),
                                PushRules.standard())
                        .withLfs(LfsRules.standard(Access.WRITE));
        Decision<GitPermit> decision =
                new Policy(session, List.of(grant))
                        .decideLfs(
                                RepoName.parse("git.example.com/acme/app"),
                                GitService.RECEIVE_PACK);
        return ((Decision.Allow<GitPermit>) decision).permit();
    }

    private static Oid oid(int number) {
        return new Oid("%064x".formatted(number));
    }

    private static Action action(int number, String target) {
        StorePlace place = new StorePlace(new HostName("store.example.com"), target);
        return new Action(new LfsObject(oid(number), 1), place, false, Map.of(), 60);
    }

    @Test
    void anotherSessionFindsNothing() throws Exception {
        GitPermit one = permit();
        table.put(one, Action.Verb.UPLOAD, action(1, "/x"));

        assertThat(table.find(one, Action.Verb.UPLOAD, oid(1))).isPresent();
        assertThat(table.find(one, Action.Verb.DOWNLOAD, oid(1))).isEmpty();
        assertThat(table.find(permit(), Action.Verb.UPLOAD, oid(1))).isEmpty();
    }

    @Test
    void whatIsOverIsGoneAndTakesNoRoom() throws Exception {
        GitPermit one = permit();
        table.put(one, Action.Verb.UPLOAD, action(1, "/x"));
        now.addAndGet(TimeUnit.SECONDS.toNanos(60));
        boolean there = table.find(one, Action.Verb.UPLOAD, oid(1)).isPresent();
        table.put(permit(), Action.Verb.UPLOAD, action(2, "/x"));

        assertThat(there).isFalse();
        assertThat(table.bytes()).isEqualTo(action(2, "/x").bytes());
    }

    @Test
    void manyOfOneSessionDropItsOldest() throws Exception {
        GitPermit first = permit();
        fill(first, 2_000);

        assertThat(table.find(first, Action.Verb.UPLOAD, oid(0))).isEmpty();
        assertThat(table.find(first, Action.Verb.UPLOAD, oid(1_999))).isPresent();
        assertThat(table.bytes()).isLessThanOrEqualTo(8L << 20);
    }

    private void fill(GitPermit permit, int actions) {
        String longest = "/" + "x".repeat(8_000);
        for (int i = 0; i < actions; i++) {
            table.put(permit, Action.Verb.UPLOAD, action(i, longest));
        }
    }

    /// Whoever has little keeps it, and finds room for more, however many the others ask for.
    @Test
    void noSessionTakesTheShareOfAnother() throws Exception {
        GitPermit small = permit();
        fill(small, 100);
        for (int session = 0; session < 8; session++) {
            fill(permit(), 1_000);
        }
        GitPermit late = permit();
        fill(late, 100);

        assertThat(table.bytes()).isLessThanOrEqualTo(32L << 20);
        for (int i = 0; i < 100; i++) {
            assertThat(table.find(small, Action.Verb.UPLOAD, oid(i))).isPresent();
            assertThat(table.find(late, Action.Verb.UPLOAD, oid(i))).isPresent();
        }
    }

    @Test
    void whatAnEndedSessionHadIsGone() throws Exception {
        GitPermit ended = permit();
        GitPermit other = permit();
        fill(ended, 10);
        fill(other, 1);
        long before = table.bytes();
        table.end(ended.session());

        assertThat(table.find(ended, Action.Verb.UPLOAD, oid(1))).isEmpty();
        assertThat(table.find(other, Action.Verb.UPLOAD, oid(0))).isPresent();
        assertThat(table.bytes()).isEqualTo(before / 11);
    }
}

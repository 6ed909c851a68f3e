package dev.sallyport.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.audit.AuditMark;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.RefPattern;
import dev.sallyport.policy.SessionId;
import dev.sallyport.sandbox.Identity;
import dev.sallyport.session.SessionStore.DamagedException;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What every session store does, whichever database it is in.
abstract class SessionStoreContract {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00.123Z");
    private static final Moment NOW_SEEN = new Moment(NOW, "boot", Duration.ofSeconds(1_000));
    private static final Identity IDENTITY = new Identity("42-1000", 42, 1_000, 4_026_532_000L);
    static final Verified VERIFIED = new Verified(IDENTITY, "kernel", NOW);

    /// Opens the store that this test has, as a daemon does when it starts.
    abstract SessionStore open() throws IOException;

    /// Does something to its tables behind its back.
    abstract void execute(String sql) throws SQLException;

    static Session session(String name) throws MalformedNameException {
        return session(name, List.of(RefPattern.parseFull("refs/changes/**")));
    }

    private static Session session(String name, List<RefPattern> refsTrusted)
            throws MalformedNameException {
        return StoredSession.session(name, refsTrusted, NOW_SEEN);
    }

    @Test
    void givesBackWhatItWasGivenAfterReopening() throws Exception {
        Session first = session("one");
        Session second = session("two").running(VERIFIED);
        try (SessionStore store = open()) {
            store.insert(first);
            store.insert(second);
        }
        try (SessionStore store = open()) {
            assertThat(store.byName("one")).contains(first);
            assertThat(store.byId(second.id())).contains(second);
            assertThat(store.contents().sessions()).containsExactlyInAnyOrder(first, second);
            assertThat(store.byName("three")).isEmpty();
            assertThat(store.byName("' OR 1=1 --")).isEmpty();
            Session read = store.byName("one").orElseThrow();
            assertThat(read.grants().getFirst().repo().text()).isEqualTo("github.com/Acme/App");
            assertThat(read.policy().digest()).isEqualTo(first.policy().digest());
        }
    }

    @Test
    void changesStateAndIdentityTogether() throws Exception {
        try (SessionStore store = open()) {
            Session session = session("one");
            store.insert(session);
            store.update(session.running(VERIFIED));
            assertThat(store.byName("one").orElseThrow().identity()).contains(IDENTITY);
            store.update(session.stopped());
            assertThat(store.byName("one").orElseThrow().identity()).isEmpty();
            assertThat(store.byName("one").orElseThrow().state()).isEqualTo(Session.State.STOPPED);
        }
    }

    @Test
    void refusesATakenNameAndKeepsTheFirst() throws Exception {
        try (SessionStore store = open()) {
            Session first = session("one");
            store.insert(first);
            assertThatThrownBy(() -> store.insert(session("one")))
                    .isInstanceOf(SessionStore.TakenException.class)
                    .hasMessageContaining("already");
            assertThatThrownBy(() -> store.update(session("two"))).hasMessageContaining("gone");
            assertThat(store.contents().sessions()).containsExactly(first);
        }
    }

    @Test
    void deletesAndSucceedsWhenNothingIsThere() throws Exception {
        try (SessionStore store = open()) {
            Session session = session("one");
            store.insert(session);
            store.delete(session.id());
            store.delete(session.id());
            assertThat(store.contents().sessions()).isEmpty();
            store.recordUse(Map.of(session.id(), new Usage(1, 1, 1)), NOW_SEEN);
            assertThat(store.contents().sessions()).isEmpty();
        }
    }

    @Test
    void addsUsageThatNoStaleCopyCanTakeBack() throws Exception {
        try (SessionStore store = open()) {
            Session stale = session("one").running(VERIFIED);
            store.insert(stale);
            store.recordUse(Map.of(stale.id(), new Usage(1, 20, 300, 1)), later(5));
            store.recordUse(Map.of(stale.id(), new Usage(1, 20, 300)), later(3));
            store.update(stale.stopped());
            Session read = store.byName("one").orElseThrow();
            assertThat(read.usage()).isEqualTo(new Usage(2, 40, 600, 1));
            assertThat(read.lifetime().lastUsed()).isEqualTo(NOW.plusSeconds(5));
        }
    }

    /// A gateway that has been taken over reports what it likes.
    @Test
    void keepsAsMuchUsageAsThereIsRoomFor() throws Exception {
        try (SessionStore store = open()) {
            Session session = session("one").running(VERIFIED);
            store.insert(session);
            Usage all = new Usage(Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE);
            store.recordUse(Map.of(session.id(), new Usage(1, 1, 1, 1)), later(1));
            store.recordUse(Map.of(session.id(), all), later(2));
            store.recordUse(Map.of(session.id(), all), later(3));
            Session read = store.byName("one").orElseThrow();
            assertThat(read.usage()).isEqualTo(all);
            assertThat(read.lifetime().lastUsed()).isEqualTo(NOW.plusSeconds(3));
        }
    }

    private static Usage requests(int number) {
        return new Usage(number, 10L * number, 100L * number);
    }

    @Test
    void theUseOfManyIsWrittenTogether() throws Exception {
        try (SessionStore store = open()) {
            Map<SessionId, Usage> used = new HashMap<>();
            for (int i = 1; i <= 20; i++) {
                Session session = session("box-" + i).running(VERIFIED);
                store.insert(session);
                used.put(session.id(), requests(i));
            }
            Session idle = session("idle").running(VERIFIED);
            store.insert(idle);
            used.put(SessionId.random(), requests(1));
            store.recordUse(used, later(5));
            store.recordUse(used, later(9));
            store.recordUse(Map.of(), later(50));
            for (int i = 1; i <= 20; i++) {
                Session read = store.byName("box-" + i).orElseThrow();
                assertThat(read.usage()).isEqualTo(requests(2 * i));
                assertThat(read.lifetime().lastUsed()).isEqualTo(NOW.plusSeconds(9));
                assertThat(read.lifetime().seen()).isEqualTo(later(9));
            }
            assertThat(store.byName("idle")).contains(idle);
            assertThat(store.contents().sessions()).hasSize(21);
        }
    }

    @Test
    void oneThatIsDamagedDoesNotKeepTheUseOfOthersFromCounting() throws Exception {
        try (SessionStore store = open()) {
            Session good = session("good").running(VERIFIED);
            Session bad = session("bad").running(VERIFIED);
            store.insert(good);
            store.insert(bad);
            execute("UPDATE session SET last_used_millis = 0 WHERE name = 'bad'");
            assertThatThrownBy(() -> store.byName("bad")).isInstanceOf(DamagedException.class);
            store.recordUse(Map.of(good.id(), requests(3), bad.id(), requests(4)), later(5));
            assertThat(store.byName("good").orElseThrow().usage()).isEqualTo(requests(3));
            execute(
                    "UPDATE session SET last_used_millis = created_millis WHERE name = 'bad'"
                            + " AND last_used_millis = 0");
            assertThat(store.byName("bad").orElseThrow().usage()).isEqualTo(requests(4));
        }
    }

    /// The time after its own has no room in a column.
    @Test
    void oneWhoseTimeIsTooFarAwayKeepsNothingOfOthersFromBeingWritten() throws Exception {
        try (SessionStore store = open()) {
            Session good = session("good").running(VERIFIED);
            Session bad = session("bad").running(VERIFIED);
            store.insert(good);
            store.insert(bad);
            execute("UPDATE session SET seen_millis = 9223372036854775807 WHERE name = 'bad'");
            store.recordUse(Map.of(good.id(), requests(3), bad.id(), requests(4)), later(5));
            assertThat(store.byName("good").orElseThrow().usage()).isEqualTo(requests(3));
            store.recordLook(store.contents().sessions(), later(9));
            assertThat(store.byName("good").orElseThrow().lifetime().seen()).isEqualTo(later(9));
            assertThat(store.contents().damaged())
                    .extracting(SessionStore.DamagedRow::reason)
                    .containsExactly(
                            "seen_millis is a time that cannot be: 9223372036854775807 ms");
            execute("UPDATE session SET seen_millis = created_millis WHERE name = 'bad'");
            assertThat(store.byName("bad").orElseThrow().usage()).isEqualTo(requests(4));
            execute("UPDATE session SET verified = replace(verified, 'Millis\":', 'Millis\":-')");
            assertThat(store.contents().damaged())
                    .hasSize(2)
                    .allMatch(row -> row.reason().startsWith("atMillis is a time that cannot be"));
        }
    }

    @Test
    void refusesAStoreOfANewerVersion() throws Exception {
        open().close();
        execute("UPDATE schema_version SET version = " + (SessionSchema.VERSION + 1));
        assertThatThrownBy(this::open).hasMessageContaining("newer Sallyport (schema 6)");
    }

    @Test
    void takesOverAStoreOfTheLastVersionAndMarksItAsItsOwn() throws Exception {
        try (SessionStore store = open()) {
            store.insert(session("kept"));
        }
        execute("UPDATE schema_version SET version = 3");
        try (SessionStore store = open()) {
            assertThat(store.byName("kept")).isPresent();
        }
        execute("UPDATE schema_version SET version = 9 WHERE version = " + SessionSchema.VERSION);
        assertThatThrownBy(this::open).hasMessageContaining("schema 9");
    }

    @Test
    void refusesAStoreOfAnOlderVersion() throws Exception {
        open().close();
        execute("UPDATE schema_version SET version = 2");
        assertThatThrownBy(this::open).hasMessageContaining("older Sallyport (schema 2)");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "grants = replace(grants, '\"read\"', '\"write\"')",
                "grants = replace(grants, '\"read\"', '\"Read\"')",
                "grants = replace(grants, '\"force\":false', '\"force\":true')",
                "grants = replace(grants, '\"force\":false', '\"force\":\"false\"')",
                "grants = replace(grants, '\"force\":false,', '')",
                "grants = replace(grants, '\"pathsAllowed\":[]', '\"pathsAllowed\":null')",
                "grants = replace(grants, '\"pathsAllowed\":[],', '')",
                "grants = replace(grants, '\"refsVisible\":[\"refs/heads/main\"]', '\"refsVisible\":null')",
                "grants = replace(grants, '\"refsTrusted\":[\"refs/changes/**\"],', '')",
                "grants = replace(grants, '\"refsTrusted\":[\"refs/changes/**\"]', '\"refsTrusted\":[\"refs/*/**\"]')",
                "grants = replace(grants, '\"author\":[]', '\"author\":null')",
                "grants = replace(grants, '\"pathsDenied\":[\"secret/**\"]', '\"pathsDenied\":[]')",
                "grants = replace(grants, '\"secrets\":\"deny\"', '\"secrets\":\"off\"')",
                "grants = replace(grants, '\"commitsMax\":5', '\"commitsMax\":6')",
                "grants = replace(grants, '\"fileBytesMax\":6', '\"fileBytesMax\":600')",
                "grants = replace(grants, '\"packBytesMax\":7', '\"packBytesMax\":70')",
                "grants = 'null'",
                "grants = '[null]'",
                "grants = replace(grants, 'Acme/App', 'Acme/*')",
                "grants = replace(grants, 'agent/**', '**')",
                "grants = replace(grants, 'github.com', 'GitHub.com')",
                "grants = 'x'",
                "grants = '[{}]'",
                "spec = '{}'",
                "state = 'BOGUS'",
                "state = 'RUNNING'",
                "policy_digest = ''",
                "created_millis = -1",
                "last_used_millis = 253402300800000",
                "seen_millis = -1",
                "seen_uptime_millis = 9223372036854775807",
                "idle_limit_millis = 9223372036854775807",
                "latest_millis = 9223372036854775807",
                "expires_millis = 0",
                "expires_millis = expires_millis + 1",
                "caps = '{\"requests\":0}'",
                "caps = '{\"pushes\":\"many\"}'",
                "caps = 'x'",
                "verified = '{}'"
            })
    void setsAsideRowsThatWereChangedAndGoesOn(String change) throws Exception {
        Session one = session("one");
        try (SessionStore store = open()) {
            store.insert(one);
            store.insert(session("two"));
        }
        execute("UPDATE session SET " + change + " WHERE name = 'one'");
        try (SessionStore store = open()) {
            assertThat(store.contents().sessions())
                    .extracting(Session::name)
                    .containsExactly("two");
            SessionStore.DamagedRow row = store.contents().damaged().getFirst();
            assertThat(row.id()).isEqualTo(one.id().value());
            assertThatThrownBy(() -> store.byName("one"))
                    .isInstanceOf(SessionStore.DamagedException.class)
                    .hasMessageContaining("one is damaged");
            store.delete(row);
            assertThat(store.contents().damaged()).isEmpty();
            assertThat(store.contents().sessions()).hasSize(1);
        }
    }

    @Test
    void readsASessionOfBeforeRefsCouldBeTrusted() throws Exception {
        Session before = session("one", List.of());
        try (SessionStore store = open()) {
            store.insert(before);
        }
        execute("UPDATE session SET grants = replace(grants, '\"refsTrusted\":[],', '')");
        try (SessionStore store = open()) {
            assertThat(store.contents().sessions()).containsExactly(before);
        }
    }

    static Moment later(int seconds) {
        return new Moment(NOW.plusSeconds(seconds), "boot", Duration.ofSeconds(1_000 + seconds));
    }

    @Test
    void timeThatHasPassedIsNotGivenBackByReopening() throws Exception {
        Session session = session("one");
        try (SessionStore store = open()) {
            store.insert(session);
            store.recordLook(List.of(session), later(60));
        }
        try (SessionStore store = open()) {
            Moment next = new Moment(NOW, "next boot", Duration.ZERO);
            store.recordLook(List.of(store.byId(session.id()).orElseThrow()), next);
            Lifetime read = store.byName("one").orElseThrow().lifetime();
            assertThat(read.at(new Moment(NOW, "next boot", Duration.ofSeconds(2))))
                    .isEqualTo(NOW.plusSeconds(62));
            assertThat(read.lastUsed()).isEqualTo(NOW);
        }
    }

    @Test
    void remembersHowFarTheAuditLogWent() throws Exception {
        try (SessionStore store = open()) {
            assertThat(store.auditMark()).isEmpty();
            store.markAudit(new AuditMark(1, "a", "key"));
            store.markAudit(new AuditMark(2, "b", "key"));
        }
        try (SessionStore store = open()) {
            assertThat(store.auditMark()).contains(new AuditMark(2, "b", "key"));
        }
    }

    @Test
    void writesTogetherWhatWasSeenOfAll() throws Exception {
        try (SessionStore store = open()) {
            Session one = session("one").running(VERIFIED);
            Session two = session("two").running(VERIFIED);
            store.insert(one);
            store.insert(two);
            Verified now = new Verified(IDENTITY, "kernel", NOW.plusSeconds(9));
            store.update(two.stopped());
            store.recordLook(List.of(two.running(now), one.running(now)), later(9));
            assertThat(store.byName("one").orElseThrow().verified()).contains(now);
            assertThat(store.byName("one").orElseThrow().lifetime().seen()).isEqualTo(later(9));
            assertThat(store.byName("two").orElseThrow().verified())
                    .as("another one than was looked at")
                    .contains(VERIFIED);
        }
    }

    @Test
    void knowsWhoIsInTheSameNamespace() throws Exception {
        try (SessionStore store = open()) {
            Session one = session("one").running(VERIFIED);
            Session two = session("two");
            store.insert(one);
            store.insert(two);
            assertThat(store.neighbour(two.id(), IDENTITY.netNamespaceInode())).contains("one");
            assertThat(store.neighbour(one.id(), IDENTITY.netNamespaceInode())).isEmpty();
            assertThat(store.neighbour(two.id(), 1)).isEmpty();
        }
        execute("UPDATE session SET identity = 'x' WHERE name = 'one'");
        try (SessionStore store = open()) {
            assertThat(store.neighbour(SessionId.random(), IDENTITY.netNamespaceInode())).isEmpty();
        }
    }
}

package dev.sallyport.session;

import static dev.sallyport.session.SessionStoreContract.VERIFIED;
import static dev.sallyport.session.SessionStoreContract.later;
import static dev.sallyport.session.SessionStoreContract.session;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.audit.AuditMark;
import dev.sallyport.fixture.Await;
import dev.sallyport.fixture.PostgresServer;
import dev.sallyport.policy.SessionId;
import dev.sallyport.session.SessionStore.StaleLeaseException;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What several gateways that share a store do to each other, on a real server.
class SessionLeasesIT {
    @TempDir static Path directory;
    private static PostgresServer server;
    private final List<SessionStore> opened = new ArrayList<>();

    @BeforeAll
    static void begin() throws IOException {
        server = PostgresServer.start(directory);
    }

    @AfterAll
    static void end() throws IOException {
        server.close();
    }

    @BeforeEach
    void clear() throws SQLException {
        server.clear();
    }

    @AfterEach
    void closeAll() throws IOException {
        for (SessionStore store : opened) {
            store.close();
        }
    }

    private Gateway gateway(int number) throws StoreException {
        return gateway(number, Instant.parse("2026-01-01T00:00:00Z"));
    }

    private Gateway gateway(int number, Instant wall) throws StoreException {
        Gateway gateway = new Gateway(server.place(), number, wall);
        opened.add(gateway.store);
        return gateway;
    }

    /// As time would do.
    private static void expire() throws SQLException {
        server.execute("UPDATE session_lease SET until = now() - interval '1 second'");
    }

    @Test
    void aSessionHasOneGatewayUntilItsLeaseRunsOut() throws Exception {
        Gateway first = gateway(1);
        Gateway second = gateway(2);
        Session session = session("one").running(VERIFIED);
        first.store.insert(session);
        assertThat(first.holds(session)).isTrue();
        assertThat(second.takes(session)).isFalse();
        assertThat(second.all()).isEmpty();
        assertThat(second.store.neighbour(SessionId.random(), 4_026_532_000L)).isEmpty();
        assertThatThrownBy(() -> second.store.insert(session("one")))
                .hasMessageContaining("already");
        assertThatThrownBy(() -> second.store.update(session.stopped()))
                .isInstanceOf(StaleLeaseException.class);

        expire();
        assertThat(second.takes(session)).isTrue();
        assertThat(second.all()).containsExactly(session);
        assertThat(first.takes(session)).as("it believes that it has it").isTrue();
        assertThatThrownBy(() -> first.store.update(session.stopped()))
                .isInstanceOf(StaleLeaseException.class)
                .hasMessageContaining("another gateway");
        assertThatThrownBy(() -> first.store.delete(session.id()))
                .isInstanceOf(StaleLeaseException.class);
        first.store.recordLook(List.of(session), later(500));
        assertThat(first.all()).isEmpty();
        assertThat(second.all()).as("nothing was changed").containsExactly(session);

        first.renew();
        assertThat(first.lost).containsExactly(session.id());
        assertThat(first.holds(session)).isFalse();
        second.store.update(session.stopped());
        second.renew();
        assertThat(second.lost).isEmpty();
        second.store.delete(session.id());
        assertThat(server.ask("SELECT count(*) FROM session_lease")).isEqualTo("0");
    }

    /// A renewal does not see what is being inserted, and must not take it for lost.
    @Test
    void aSessionThatIsInsertedDuringARenewalIsHeld() throws Exception {
        Gateway gateway = gateway(1);
        gateway.store.insert(session("first"));
        List<Session> made = new ArrayList<>();
        AtomicBoolean done = new AtomicBoolean();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?> renewing =
                    threads.submit(
                            () -> {
                                while (!done.get()) {
                                    gateway.renew();
                                }
                            });
            try {
                for (int i = 0; i < 50; i++) {
                    Session session = session("next-" + i);
                    gateway.store.insert(session);
                    made.add(session);
                }
            } finally {
                done.set(true);
            }
            renewing.get();
        }
        assertThat(gateway.lost).isEmpty();
        assertThat(made).allMatch(gateway::holds);
    }

    @Test
    void ofManyThatTakeAtOnceOneGetsIt() throws Exception {
        Gateway first = gateway(1);
        Session session = session("one");
        first.store.insert(session);
        expire();
        List<Gateway> others = new ArrayList<>();
        for (int i = 2; i < 8; i++) {
            others.add(gateway(i));
        }
        List<Callable<Boolean>> all = new ArrayList<>();
        others.forEach(other -> all.add(() -> other.takes(session)));
        assertThat(atOnce(all)).isEqualTo(1);
        assertThat(others).filteredOn(other -> other.holds(session)).hasSize(1);
        assertThat(server.ask("SELECT epoch FROM session_lease")).isEqualTo("2");
    }

    /// How many of them succeed.
    private static int atOnce(List<Callable<Boolean>> all) throws Exception {
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            int succeeded = 0;
            for (Future<Boolean> each : threads.invokeAll(all)) {
                succeeded += each.get() ? 1 : 0;
            }
            return succeeded;
        }
    }

    @Test
    void aNameThatSeveralGatewaysTakeAtOnceIsTakenForAllButOne() throws Exception {
        List<Callable<Boolean>> all = new ArrayList<>();
        for (int i = 1; i < 7; i++) {
            Gateway gateway = gateway(i);
            all.add(() -> inserts(gateway, session("one")));
        }
        assertThat(atOnce(all)).isEqualTo(1);
        assertThat(server.ask("SELECT count(*) FROM session")).isEqualTo("1");
    }

    private static boolean inserts(Gateway gateway, Session session) throws StoreException {
        try {
            gateway.store.insert(session);
            return gateway.holds(session);
        } catch (SessionStore.TakenException e) {
            return false;
        }
    }

    /// Between the look at a lease and the write there is no time to lose it.
    @Test
    void aWriteThatWaitsForATakeOverIsRefused() throws Exception {
        Gateway first = gateway(1);
        Session session = session("one").running(VERIFIED);
        first.store.insert(session);
        CompletableFuture<Void> writing;
        try (Connection other = server.connect();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("UPDATE session_lease SET epoch = 2, gateway = 'other'");
            statement.execute("UPDATE session SET epoch = 2, gateway = 'other'");
            writing =
                    CompletableFuture.runAsync(
                            () ->
                                    assertThatThrownBy(() -> first.store.update(session.stopped()))
                                            .isInstanceOf(StaleLeaseException.class));
            Await.until(
                    "the write waits",
                    () ->
                            server.ask(
                                            "SELECT count(*) FROM pg_stat_activity"
                                                    + " WHERE wait_event_type = 'Lock'")
                                    .equals("1"));
            other.commit();
        }
        writing.join();
        assertThat(server.ask("SELECT state FROM session")).isEqualTo("RUNNING");
    }

    @Test
    void aWrongClockGivesNobodyALeaseAndTakesNone() throws Exception {
        Gateway past = gateway(1, Instant.parse("1999-01-01T00:00:00Z"));
        Gateway future = gateway(2, Instant.parse("2099-01-01T00:00:00Z"));
        Session session = session("one");
        past.store.insert(session);
        assertThat(future.takes(session)).isFalse();
        past.pass(Gateway.TERMS.relied().minusSeconds(1));
        assertThat(past.holds(session)).isTrue();
        past.pass(Duration.ofSeconds(1));
        assertThat(past.holds(session)).as("its own machine's time has run out").isFalse();
        Await.until("it is told", () -> past.lost.equals(List.of(session.id())));
        assertThat(future.takes(session)).as("not yet by the database's clock").isFalse();
        past.renew();
        assertThat(past.holds(session)).isTrue();
        assertThat(past.lost).as("told once").hasSize(1);
    }

    @Test
    void aGatewayThatWakesAfterItsSessionWasTakenServesNothing() throws Exception {
        Gateway frozen = gateway(1);
        Gateway other = gateway(2);
        Session session = session("one").running(VERIFIED);
        frozen.store.insert(session);
        expire();
        assertThat(other.takes(session)).isTrue();
        frozen.pass(Gateway.TERMS.good());
        assertThat(frozen.holds(session)).isFalse();
        assertThat(frozen.takes(session)).isFalse();
        assertThatThrownBy(() -> frozen.store.update(session.stopped()))
                .isInstanceOf(StaleLeaseException.class);
        frozen.renew();
        assertThat(frozen.holds(session)).isFalse();
        assertThat(frozen.lost).containsOnly(session.id());
        assertThat(other.holds(session)).isTrue();
    }

    @Test
    void whatWasUsedCountsWhoeverBringsItAndWhenever() throws Exception {
        Gateway first = gateway(1);
        Gateway second = gateway(2);
        Session session = session("one").running(VERIFIED);
        first.store.insert(session);
        Session kept = session("kept").running(VERIFIED);
        first.store.insert(kept);
        first.store.recordUse(Map.of(session.id(), new Usage(3, 30, 300, 1)), later(1));
        expire();
        assertThat(second.takes(session)).isTrue();
        second.store.recordUse(Map.of(session.id(), new Usage(2, 20, 200)), later(2));
        Usage late = new Usage(5, 50, 500);
        first.store.recordUse(Map.of(session.id(), late, kept.id(), late), later(900));
        Session read = second.store.byId(session.id()).orElseThrow();
        assertThat(read.usage()).isEqualTo(new Usage(10, 100, 1_000, 1));
        assertThat(read.caps().reached(read.usage())).contains("10 of 5 requests");
        assertThat(read.lifetime().lastUsed()).as("not kept alive").isEqualTo(later(2).wall());
        Session other = first.store.byId(kept.id()).orElseThrow();
        assertThat(other.usage()).as("the other one is no worse for it").isEqualTo(late);
        assertThat(other.lifetime().lastUsed()).isEqualTo(later(900).wall());
    }

    /// Each has lost a session to the other, and brings what was used before.
    @Test
    void gatewaysThatBringUseForEachOthersSessionsDoNotWaitForOneAnother() throws Exception {
        Gateway first = gateway(1);
        Gateway second = gateway(2);
        List<Session> all = List.of(session("one"), session("two"));
        Session low = Collections.min(all, Comparator.comparing(s -> s.id().value()));
        Session high = Collections.max(all, Comparator.comparing(s -> s.id().value()));
        first.store.insert(high);
        second.store.insert(low);
        Map<SessionId, Usage> used = Map.of(low.id(), Usage.ONE_PUSH, high.id(), Usage.ONE_PUSH);
        assertThat(atOnce(List.of(bringing(first, used), bringing(second, used)))).isEqualTo(2);
        assertThat(server.ask("SELECT sum(pushes) FROM session")).isEqualTo("400");
    }

    private static Callable<Boolean> bringing(Gateway gateway, Map<SessionId, Usage> used) {
        return () -> {
            for (int i = 0; i < 100; i++) {
                gateway.store.recordUse(used, later(1));
            }
            return true;
        };
    }

    @Test
    void aRestartedGatewayHasItsSessionsAndACopyOfItsHomeHasThemFromItsStart() throws Exception {
        Gateway first = gateway(1);
        Session session = session("one").running(VERIFIED);
        first.store.insert(session);
        Gateway copy = gateway(1);
        assertThat(copy.all()).containsExactly(session);
        assertThat(first.all()).isEmpty();
        assertThatThrownBy(() -> first.store.update(session.stopped()))
                .isInstanceOf(StaleLeaseException.class);
        first.renew();
        assertThat(first.lost).containsExactly(session.id());
        copy.store.update(session.stopped());
        copy.store.close();
        Gateway other = gateway(2);
        assertThat(other.takes(session)).as("given back").isTrue();
    }

    @Test
    void aDatabaseThatGoesAndComesBackCostsNothingThatWasWritten() throws Exception {
        Gateway first = gateway(1);
        Session session = session("one").running(VERIFIED);
        first.store.insert(session);
        server.down();
        try {
            assertThatThrownBy(() -> first.store.update(session.stopped()))
                    .isInstanceOf(StoreAwayException.class)
                    .hasMessageContaining("does not answer")
                    .hasMessageNotContaining(PostgresServer.PASSWORD);
            first.store.markAudit(new AuditMark(7, "hash", "key"));
            first.renew();
            assertThat(first.holds(session)).as("its lease is good for a while").isTrue();
            first.pass(Gateway.TERMS.relied());
            assertThat(first.holds(session)).isFalse();
        } finally {
            server.up();
        }
        Await.until("it connects again", () -> isThere(first, "one"));
        assertThat(first.all()).containsExactly(session);
        Await.until(
                "its lease is renewed",
                () -> {
                    first.renew();
                    return first.holds(session);
                });
        first.store.update(session.stopped());
        first.store.close();
        assertThat(gateway(1).store.auditMark()).contains(new AuditMark(7, "hash", "key"));
    }

    private static boolean isThere(Gateway gateway, String name) throws StoreException {
        try {
            return gateway.store.byName(name).isPresent();
        } catch (StoreAwayException e) {
            return false;
        }
    }

    /// Of a gateway that ends, or is to be replaced.
    @Test
    void whatAGatewayGivesBackAnotherOneTakesAtOnce() throws Exception {
        Gateway first = gateway(1);
        Gateway second = gateway(2);
        Session moved = session("moved");
        Session kept = session("kept");
        first.store.insert(moved);
        first.store.insert(kept);
        assertThat(second.takes(moved)).as("control").isFalse();
        assertThat(second.store.leases().holder(moved.id()).orElseThrow())
                .isEqualTo(new SessionLeases.Holder("%032d".formatted(1), true));

        first.store.leases().release(moved.id());

        assertThat(first.holds(moved)).isFalse();
        assertThat(first.store.byId(moved.id())).isEmpty();
        assertThat(second.store.leases().holder(moved.id()).orElseThrow().good()).isFalse();
        assertThat(second.takes(moved)).isTrue();
        assertThat(second.store.byId(moved.id())).isPresent();
        assertThat(first.takes(moved)).isFalse();
        assertThatThrownBy(() -> first.store.update(moved.running(VERIFIED)))
                .isInstanceOf(StaleLeaseException.class);
        first.renew();
        assertThat(first.holds(kept)).isTrue();
        assertThat(second.takes(kept)).isFalse();
        second.store.delete(moved.id());
        assertThat(first.store.leases().holder(moved.id())).isEmpty();
    }
}

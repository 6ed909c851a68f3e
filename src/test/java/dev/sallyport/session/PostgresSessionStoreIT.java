package dev.sallyport.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.audit.AuditKey;
import dev.sallyport.audit.AuditLog;
import dev.sallyport.audit.AuditMark;
import dev.sallyport.audit.AuditTerms;
import dev.sallyport.audit.AuditVerifier;
import dev.sallyport.audit.Witness;
import dev.sallyport.config.AuditLimits;
import dev.sallyport.config.Home;
import dev.sallyport.config.Ownership;
import dev.sallyport.config.StorePlace;
import dev.sallyport.fixture.AuditLogs;
import dev.sallyport.fixture.Await;
import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.FullListener;
import dev.sallyport.fixture.PostgresServer;
import dev.sallyport.fleet.SharedRecords;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What [SessionStoreContract] says, on a real server, and what one gateway sees of others.
class PostgresSessionStoreIT extends SessionStoreContract {
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

    @Override
    SessionStore open() throws IOException {
        return Stores.open(server.place(), new GatewayId("0".repeat(32)));
    }

    @Override
    void execute(String sql) throws SQLException {
        server.execute(sql);
    }

    private Gateway gateway(int number) throws StoreException {
        return gateway(number, Instant.parse("2026-01-01T00:00:00Z"));
    }

    private Gateway gateway(int number, Instant wall) throws StoreException {
        Gateway gateway = new Gateway(server.place(), number, wall);
        opened.add(gateway.store);
        return gateway;
    }

    private static StorePlace place(List<String> hosts) {
        return new StorePlace(
                hosts,
                "postgres",
                PostgresServer.USER,
                server.place().passwordFile(),
                Optional.empty());
    }

    /// As if the first one were cut off, and the second one busy: it answers the second try.
    @Test
    void aHostThatIsDarkLeavesTimeToTheNextOne() throws Exception {
        try (FullListener dark = new FullListener();
                FullListener busy = new FullListener()) {
            busy.openLate(server.port());
            StorePlace two = place(List.of(dark.address(), busy.address()));
            try (SessionStore store = Stores.open(two, GatewayId.random())) {
                store.insert(session("one"));
            }
        }
    }

    @Test
    void aServerThatIsDownIsPassedOverAndOneThatTakesNoWritesIsAway() throws Exception {
        StorePlace two = place(List.of("127.0.0.1:1", "127.0.0.1:" + server.port()));
        try (SessionStore store = Stores.open(two, GatewayId.random())) {
            store.insert(session("one"));
            execute("ALTER SYSTEM SET default_transaction_read_only = on");
            execute("SELECT pg_reload_conf()");
            Await.until("no writes", () -> isRefused(store));
        } finally {
            execute("ALTER SYSTEM RESET default_transaction_read_only");
            execute("SELECT pg_reload_conf()");
        }
    }

    private static boolean isRefused(SessionStore store) throws Exception {
        try {
            store.insert(session("two-" + System.nanoTime()));
            return false;
        } catch (StoreAwayException e) {
            return true;
        }
    }

    @Test
    void theServerIsVerifiedByItsCertificateAndName() throws Exception {
        Path ca = server.ca();
        StorePlace right = server.place("localhost", PostgresServer.USER, Optional.of(ca));
        try (SessionStore store = Stores.open(right, GatewayId.random())) {
            assertThat(store.contents().sessions()).isEmpty();
            assertThat(server.ask("SELECT count(*) FROM pg_stat_ssl WHERE ssl")).isEqualTo("2");
        }
        Path other = Files.createDirectory(directory.resolve("other"));
        String made = "openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=Web-CA -out ca.pem";
        Command.of(made.split(" ")).in(other).run().ok();
        for (StorePlace wrong :
                List.of(
                        server.place("127.0.0.1", PostgresServer.USER, Optional.of(ca)),
                        server.place(
                                "localhost",
                                PostgresServer.USER,
                                Optional.of(other.resolve("ca.pem"))))) {
            assertThatThrownBy(() -> Stores.open(wrong, GatewayId.random()))
                    .isInstanceOf(StoreException.class);
        }
    }

    /// Whoever has the whole home, key included, and the database's password as well.
    @Test
    void aRewrittenLogIsNotTheOneThatTheDatabaseHasSeen() throws Exception {
        Path audit = directory.resolve("audit");
        Ownership.createPrivateDirectory(audit);
        Path log = audit.resolve("audit.jsonl");
        AuditKey key = AuditKey.open(directory.resolve("audit.key"));
        Gateway first = gateway(1);
        Gateway second = gateway(2);
        write(log, new AuditTerms(AuditLimits.standard(), key, first.store, first.store.witness()));
        assertThat(verdict(log, first).holds()).isTrue();
        assertThat(first.store.heads().heads()).containsKey(3L);
        assertThat(second.store.heads().heads()).as("a chain for each gateway").isEmpty();

        Command.of("rm", "-rf", audit.toString()).run().ok();
        Ownership.createPrivateDirectory(audit);
        write(
                log,
                new AuditTerms(AuditLimits.standard(), key, new AuditLogs.Marks(), Witness.NONE));
        assertThat(AuditVerifier.verify(log, Optional.empty()).holds()).isTrue();
        assertThat(verdict(log, first).broken().orElseThrow().reason())
                .contains("not the line that the witness has seen");
        for (String change :
                List.of(
                        "UPDATE audit_head SET head = ''",
                        "DELETE FROM audit_head",
                        "TRUNCATE audit_head")) {
            assertThatThrownBy(() -> execute(change)).hasMessageContaining("only added");
        }

        first.store.markAudit(new AuditMark(0, "", ""));
        assertThat(verdict(log, first).holds()).as("a person began a new log").isTrue();
        assertThat(server.ask("SELECT count(*) FROM audit_head WHERE head <> ''"))
                .isNotEqualTo("0");
    }

    private static void write(Path log, AuditTerms terms) throws IOException {
        try (AuditLog open = AuditLog.open(log, terms)) {
            for (int i = 0; i < 3; i++) {
                open.append(new AuditEvent("git.request", "a1", "deny", Map.of("path", "/" + i)));
            }
        }
    }

    private static AuditVerifier.Result verdict(Path log, Gateway gateway) throws IOException {
        return AuditVerifier.verify(
                log, Optional.empty(), List.of(gateway.store.heads()), AuditVerifier.Watch.NONE);
    }

    private static void requireSharing(SharedRecords fleet) throws IOException {
        fleet.announce("a.example.com:8443");
        fleet.keep("kind", "name", new byte[1]);
        fleet.discard("kind", "name");
        assertThat(fleet.sweep("kind")).isZero();
        SharedRecords.Remembered how =
                fleet.alone(
                        turn -> {
                            turn.write("kind", "name", new byte[1]);
                            turn.remove("kind", "name");
                            return turn.remember("host", "nonce", Instant.EPOCH, 1);
                        });
        assertThat(how).isEqualTo(SharedRecords.Remembered.NEW);
        assertThat(fleet.gateways()).hasSize(1);
        fleet.withdraw();
    }

    @Test
    void anAccountThatOwnsNoTablesIsEnough() throws Exception {
        gateway(1);
        execute("DROP ROLE IF EXISTS gateway");
        execute("CREATE ROLE gateway LOGIN PASSWORD '" + PostgresServer.PASSWORD + "'");
        execute("GRANT USAGE ON SCHEMA public TO gateway");
        execute("GRANT SELECT ON schema_version TO gateway");
        execute("GRANT SELECT, INSERT, UPDATE, DELETE ON session, session_lease TO gateway");
        execute(
                "GRANT SELECT, INSERT, UPDATE, DELETE ON fleet_record, fleet_nonce, fleet_gateway TO gateway");
        execute("GRANT SELECT, UPDATE ON fleet_state TO gateway");
        execute("GRANT SELECT, INSERT, UPDATE ON audit_mark TO gateway");
        execute("GRANT SELECT, INSERT ON audit_head TO gateway");
        StorePlace least = server.place("127.0.0.1", "gateway", Optional.empty());
        try (SessionStore store = Stores.open(least, GatewayId.random())) {
            Session session = session("one");
            store.insert(session);
            store.update(session.running(VERIFIED));
            store.recordUse(Map.of(session.id(), new Usage(1, 1, 1)), later(1));
            store.markAudit(new AuditMark(1, "a", "key"));
            store.witness().tell("head\n");
            store.delete(session.id());
            requireSharing(store.fleet().orElseThrow());
        }
        execute("DROP OWNED BY gateway");
    }

    private static OtherSessions.Place place(Gateway at, String name) throws StoreException {
        return at.store.others().place(name).orElseThrow();
    }

    private static List<Session> seen(SessionStore store) throws StoreException {
        return store.others().after("").found().stream().map(OtherSessions.Found::session).toList();
    }

    @Test
    void whatOthersHaveAndWhatNobodyHasIsSeenWithItsGateway() throws Exception {
        Gateway first = gateway(1);
        Gateway second = gateway(2);
        String other = "%032d".formatted(1);
        Session session = session("one").running(VERIFIED);
        first.store.insert(session);
        second.store.insert(session("mine"));
        assertThat(seen(second.store)).containsExactly(session);
        assertThat(second.store.others().find("mine")).as("it is here").isEmpty();
        assertThat(second.store.others().place("none")).isEmpty();
        assertThat(place(second, "one"))
                .isEqualTo(new OtherSessions.Place(other, Optional.empty(), true));

        first.store.fleet().orElseThrow().announce("one.example.com:8443");
        Optional<String> address = Optional.of("one.example.com:8443");
        assertThat(second.store.others().find("one"))
                .contains(
                        new OtherSessions.Found(
                                session, new OtherSessions.Place(other, address, true)));
        first.store.leases().release(session.id());
        assertThat(place(second, "one").held()).as("nobody has it").isFalse();
        assertThat(place(first, "one").gateway()).isEqualTo(other);
        assertThat(seen(first.store))
                .extracting(Session::name)
                .containsExactlyInAnyOrder("mine", "one");
        assertThat(second.takes(session)).isTrue();
        assertThat(seen(second.store)).isEmpty();

        server.execute("UPDATE session SET grants = 'x' WHERE name = 'mine'");
        assertThat(seen(first.store)).as("one that cannot be read").containsExactly(session);
        assertThat(place(first, "mine").held()).isTrue();
        assertThatThrownBy(() -> first.store.others().find("mine"))
                .isInstanceOf(SessionStore.DamagedException.class);
    }

    @Test
    void whatOthersHaveIsReadInPages() throws Exception {
        Gateway first = gateway(1);
        first.store.insert(session("one"));
        server.execute(
                """
                INSERT INTO session SELECT (jsonb_populate_record(one, jsonb_build_object(
                  'id', lpad(to_hex(i), 16, '0'), 'name', 'more-' || i))).*
                FROM session one, generate_series(1, %d) i
                """
                        .formatted(OtherSessions.PAGE_MAX));
        server.execute(
                "INSERT INTO session_lease SELECT id, gateway, epoch, now() FROM session"
                        + " WHERE name <> 'one'");
        OtherSessions others = gateway(2).store.others();
        OtherSessions.Page page = others.after("");
        String last = "%016x".formatted(OtherSessions.PAGE_MAX);
        assertThat(page.next()).contains(last);
        OtherSessions.Page rest = others.after(last);
        assertThat(rest.next()).isEmpty();
        assertThat(rest.found()).extracting(found -> found.session().name()).containsExactly("one");

        server.execute(
                "UPDATE session SET spec = spec || repeat(' ', %d) WHERE name IN ('more-2', 'more-3')"
                        .formatted(OtherSessions.PAGE_BYTES_MAX));
        assertThat(others.after("").next()).as("by size").contains("%016x".formatted(2));
        assertThat(others.after("%016x".formatted(2)).next()).contains("%016x".formatted(3));
        assertThat(others.after("%016x".formatted(3)).next()).isEmpty();
    }

    /// All of a system-wide service have one policy file, and so one store.
    @Test
    void anAccountOfAServiceSeesNothingOfOtherAccounts() throws Exception {
        SessionStore alice = lodged(1);
        SessionStore bob = lodged(2);
        alice.insert(session("one"));
        assertThat(seen(gateway(1).store)).as("control").hasSize(1);
        assertThat(bob.others()).isSameAs(OtherSessions.NONE);
        assertThat(seen(bob)).isEmpty();
        assertThat(bob.others().place("one")).isEmpty();
        assertThat(bob.others().find("one")).isEmpty();
    }

    private SessionStore lodged(int uid) throws IOException {
        Home home = Home.lodged(directory.resolve("service"), uid);
        Files.createDirectories(
                home.root(),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        SessionStore store = SessionStores.open(home, Optional.of(server.place()));
        opened.add(store);
        return store;
    }

    private void keep(SharedRecords fleet, String kind, String name, String age) throws Exception {
        fleet.keep(kind, name, new byte[] {1});
        execute(
                "UPDATE fleet_record SET at = now() - interval '%s' WHERE kind = '%s' AND name = '%s'"
                        .formatted(age, kind, name));
    }

    @Test
    void whatIsKeptOfSessionsThatAreGoneIsSwept() throws Exception {
        Session there = session("one");
        gateway(1).store.insert(there);
        SharedRecords fleet = gateway(2).store.fleet().orElseThrow();
        keep(fleet, "inspection", there.id().value(), "2 hours");
        keep(fleet, "inspection", "gone", "2 hours");
        keep(fleet, "inspection", "young", "10 minutes");
        keep(fleet, "another", "gone", "2 hours");
        execute(
                "INSERT INTO fleet_record VALUES ('inspection', 'numbered', '', 7, now() - interval '2 hours')");
        assertThat(fleet.sweep("inspection")).isEqualTo(1);
        assertThat(fleet.kept("inspection", "gone")).isEmpty();
        assertThat(fleet.kept("inspection", there.id().value())).isPresent();
        assertThat(fleet.kept("inspection", "young")).isPresent();
        assertThat(fleet.kept("another", "gone")).isPresent();
        assertThat(server.ask("SELECT count(*) FROM fleet_record WHERE name = 'numbered'"))
                .as("a record that all see")
                .isEqualTo("1");
        assertThat(fleet.sweep("inspection")).isZero();
    }

    @Test
    void gatewaysThatAreGoneAreSweptSomeAtATime() throws Exception {
        SharedRecords fleet = gateway(1).store.fleet().orElseThrow();
        fleet.announce("a.example.com:8443");
        execute(
                "INSERT INTO fleet_gateway SELECT 'old-' || i, 'old', now() - interval '25 hours' FROM generate_series(1, %d) i"
                        .formatted(SharedRecords.SWEPT_MAX + 2));
        execute("INSERT INTO fleet_gateway VALUES ('late', 'late', now() - interval '23 hours')");
        try (Connection back = server.connect()) {
            back.setAutoCommit(false);
            back.createStatement()
                    .execute("UPDATE fleet_gateway SET until = now() WHERE id = 'old-1'");
            assertThat(fleet.sweep("inspection")).isEqualTo(SharedRecords.SWEPT_MAX);
            assertThat(fleet.sweep("inspection")).isEqualTo(1);
            back.commit();
        }
        assertThat(fleet.sweep("inspection")).isZero();
        assertThat(server.ask("SELECT string_agg(id, ' ' ORDER BY id) FROM fleet_gateway"))
                .contains("late", "old-1")
                .doesNotContain("old-2");
        assertThat(fleet.gateways()).hasSize(1);
    }
}

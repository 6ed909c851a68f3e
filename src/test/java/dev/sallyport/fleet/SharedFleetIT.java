package dev.sallyport.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.config.AgeKey;
import dev.sallyport.fixture.PostgresServer;
import dev.sallyport.policy.SessionId;
import dev.sallyport.session.GatewayId;
import dev.sallyport.session.SessionStore;
import dev.sallyport.session.Stores;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What [FleetStoreContract] says, in a database that two gateways share; and what one of them
/// knows of what the other one does.
class SharedFleetIT extends FleetStoreContract {
    @TempDir static Path directory;
    private static PostgresServer server;
    private final List<SessionStore> opened = new ArrayList<>();
    private SharedRecords first;
    private SharedRecords second;
    private Fleet other;

    @BeforeAll
    static void start() throws IOException {
        server = PostgresServer.start(directory);
    }

    @AfterAll
    static void stop() throws IOException {
        server.close();
    }

    @AfterEach
    void close() throws IOException {
        for (SessionStore store : opened) {
            store.close();
        }
    }

    @Override
    FleetStore open(AgeKey with) {
        return FleetStore.shared(first, with);
    }

    private SharedRecords gateway(int number) throws IOException {
        GatewayId id = new GatewayId("%032d".formatted(number));
        SessionStore store = Stores.open(server.place(), id);
        opened.add(store);
        return store.fleet().orElseThrow();
    }

    @BeforeEach
    @Override
    void begin() throws Exception {
        server.clear();
        first = gateway(1);
        second = gateway(2);
        super.begin();
        other = new Fleet(() -> FleetStore.shared(second, key));
    }

    private HostKey enrolled(String name) throws Exception {
        HostKey host = fleet.enrolled(temporary.resolve(name), name);
        other.store.refresh();
        return host;
    }

    @Test
    void aRequestThatOneGatewayAcceptedIsRefusedByTheOther() throws Exception {
        HostKey host = enrolled("build-1");
        String line = signed(host);
        assertThat(fleet.hosts.verify(line).host()).isEqualTo(host.id());
        requireRefused(FleetRefusal.REPLAYED, () -> other.hosts.verify(line));
        assertThat(other.hosts.verify(signed(host)).host()).as("control").isEqualTo(host.id());
    }

    private Hosts.Enrolled enrolled(Fleet at, HostKey by, Pod pod) throws Exception {
        String line = PodEnrolment.request(at.audience(), by, "head.body.signature");
        return at.pods.enrol(PodEnrolment.parse(line), pod);
    }

    @Test
    void aPodThatComesToTheOtherGatewayKeepsItsSessionAndHasOneKey() throws Exception {
        Pod pod = new Pod("agents", "agent", "fix", "0a8d3f6e-1111-4222-8333-944455556666");
        HostKey before = HostKey.inMemory();
        HostKey after = HostKey.inMemory();
        var _ = enrolled(fleet, before, pod);
        fleet.badges.claim(SESSION, before.id(), Pods.SESSIONS_MAX);
        assertThat(fleet.hosts.verify(signed(before)).host()).as("control").isEqualTo(before.id());

        var _ = enrolled(other, after, pod);
        fleet.store.refresh();

        assertThat(fleet.badges.host(SESSION)).contains(after.id());
        requireRefused(FleetRefusal.UNKNOWN_HOST, () -> fleet.hosts.verify(signed(before)));
        assertThat(fleet.hosts.verify(signed(after)).host()).isEqualTo(after.id());
        other.pods.end(SESSION, true);
        requireRefused(FleetRefusal.POD_OVER, () -> enrolled(fleet, HostKey.inMemory(), pod));
    }

    /// What is no longer remembered is too old for everybody, whatever their clocks say.
    @Test
    void aRequestIsRefusedAlsoWhenItIsForgotten() throws Exception {
        HostKey host = enrolled("build-1");
        String line = signed(host);
        var _ = fleet.hosts.verify(line);
        server.execute("UPDATE fleet_nonce SET at = at - interval '11 minutes'");
        fleet.pass(Duration.ofSeconds(1));
        var _ = fleet.hosts.verify(signed(host));
        assertThat(server.ask("SELECT count(*) FROM fleet_nonce WHERE nonce <> ''")).isEqualTo("1");
        requireRefused(FleetRefusal.REPLAYED, () -> other.hosts.verify(line));
    }

    @Test
    void oneHostCannotFillTheMemoryOfRequests() throws Exception {
        HostKey host = enrolled("build-1");
        HostKey quiet = enrolled("build-2");
        server.execute(
                "INSERT INTO fleet_nonce (host, nonce, signed_millis) SELECT '"
                        + host.id().value()
                        + "', i::text, 1 FROM generate_series(1, "
                        + Nonces.HOST_MAX
                        + ") i");
        requireRefused(FleetRefusal.TOO_MANY, () -> other.hosts.verify(signed(host)));
        assertThat(other.hosts.verify(signed(quiet)).host()).isEqualTo(quiet.id());
        server.execute("UPDATE fleet_nonce SET at = at - interval '11 minutes'");
        assertThat(other.hosts.verify(signed(host)).host()).isEqualTo(host.id());
    }

    @Test
    void aHostThatOneGatewayRemovedIsAStrangerToTheOtherAtOnce() throws Exception {
        HostKey host = enrolled("build-1");
        assertThat(other.hosts.verify(signed(host)).host()).as("control").isEqualTo(host.id());
        fleet.hosts.remove(host.id(), fleet.badges);
        requireRefused(FleetRefusal.UNKNOWN_HOST, () -> other.hosts.verify(signed(host)));
        assertThat(other.store.refresh()).contains("hosts/" + host.id().value());
        assertThat(other.hosts.list()).isEmpty();
        assertThat(server.ask("SELECT count(*) FROM fleet_nonce")).isEqualTo("0");
    }

    @Test
    void aCodeIsGoodOnceAmongAllGateways() throws Exception {
        EnrolmentCode code =
                EnrolmentCode.parse(
                        fleet.hosts.invite("build-1", Fleet.ADDRESS, Duration.ofMinutes(10)));
        HostKey host = HostKey.create(temporary.resolve("a"), Optional.empty(), "main");
        HostKey thief = HostKey.create(temporary.resolve("b"), Optional.empty(), "main");
        assertThat(other.hosts.enrol(Enrolment.request(code, host)).name()).isEqualTo("build-1");
        requireRefused(
                FleetRefusal.UNKNOWN_CODE, () -> fleet.hosts.enrol(Enrolment.request(code, thief)));
        assertThat(fleet.hosts.list()).extracting(Hosts.Enrolled::id).containsExactly(host.id());
    }

    /// What became of it at one of two gateways that are asked at once.
    private static CompletableFuture<String> asked(CountDownLatch begin, Callable<?> work) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        begin.await();
                        var _ = work.call();
                        return "accepted";
                    } catch (RefusedException e) {
                        return e.reason().code();
                    } catch (Exception e) {
                        throw new AssertionError(e);
                    }
                },
                command -> Thread.startVirtualThread(command));
    }

    private static List<String> atOnce(Callable<?> one, Callable<?> two) {
        CountDownLatch begin = new CountDownLatch(1);
        CompletableFuture<String> first = asked(begin, one);
        CompletableFuture<String> second = asked(begin, two);
        begin.countDown();
        return List.of(first.join(), second.join());
    }

    @Test
    void ofTwoGatewaysThatAreAskedAtOnceOneAccepts() throws Exception {
        for (int i = 0; i < 5; i++) {
            EnrolmentCode code =
                    EnrolmentCode.parse(
                            fleet.hosts.invite(
                                    "build-" + i, Fleet.ADDRESS, Duration.ofMinutes(10)));
            other.store.refresh();
            HostKey host = HostKey.inMemory();
            HostKey thief = HostKey.inMemory();
            assertThat(
                            atOnce(
                                    () -> fleet.hosts.enrol(Enrolment.request(code, host)),
                                    () -> other.hosts.enrol(Enrolment.request(code, thief))))
                    .containsExactlyInAnyOrder("accepted", FleetRefusal.UNKNOWN_CODE.code());
            fleet.store.refresh();
            other.store.refresh();
            assertThat(fleet.hosts.list()).hasSize(i + 1);
            HostKey enrolled = fleet.hosts.find(host.id()).isPresent() ? host : thief;
            String line = signed(enrolled);
            assertThat(atOnce(() -> fleet.hosts.verify(line), () -> other.hosts.verify(line)))
                    .containsExactlyInAnyOrder("accepted", FleetRefusal.REPLAYED.code());
        }
    }

    @Test
    void thereIsOneAuthorityAndItsKeysAreEncrypted() throws Exception {
        assertThat(other.authority.authorityPems()).isEqualTo(fleet.authority.authorityPems());
        fleet.authority.rotate();
        assertThatThrownBy(other.authority::rotate).hasMessageContaining("being replaced");
        assertThat(other.authority.authorityPems())
                .isEqualTo(fleet.authority.authorityPems())
                .hasSize(2);
        var _ = fleet.hosts.invite("build-1", Fleet.ADDRESS, Duration.ofMinutes(10));
        assertThat(secrets()).isEqualTo("2");
        assertThat(secrets(" AND encode(value, 'escape') LIKE 'age-encryption.org/v1%'"))
                .isEqualTo("2");
        fleet.store.seal();
        fleet.restart();
        assertThat(other.authority.authorityPems()).isEqualTo(fleet.authority.authorityPems());
    }

    private String secrets(String... more) throws SQLException {
        return server.ask(
                "SELECT count(*) FROM fleet_record WHERE kind IN ('authority', 'codes')"
                        + String.join("", more));
    }

    /// A certificate that was taken away is not good at the other gateway either.
    @Test
    void whatOneGatewayDoesWithASessionTheOtherSees() throws Exception {
        HostKey host = enrolled("build-1");
        fleet.badges.claim(SESSION, host.id(), SessionBadges.SESSIONS_PER_HOST_MAX);
        byte[] sidecar = Fleet.sidecarKeys().getPublic().getEncoded();
        SessionBadges.Badge badge = fleet.badges.issue(SESSION, host.id(), sidecar).badge();
        assertThat(other.store.refresh()).contains("badges/" + SESSION.value());
        assertThat(other.badges.current(SESSION)).containsExactly(badge);
        assertThat(other.store.refresh()).isEmpty();
        fleet.badges.release(SESSION);
        other.store.refresh();
        assertThat(other.badges.current(SESSION)).isEmpty();
        assertThat(other.badges.host(SESSION)).contains(host.id());
    }

    private static Hosts.Enrolled pod(Fleet at, HostKey key, String uid) throws Exception {
        String line = PodEnrolment.request(at.audience(), key, "head.body.signature");
        return at.pods.enrol(PodEnrolment.parse(line), new Pod("agents", "agent", "fix", uid));
    }

    /// The first gateway has not seen yet that the pod has another key when it ends its session.
    @Test
    void i3_aPodHasOneSessionAmongAllGatewaysAndAnEndIsAnEndAtEach() throws Exception {
        String uid = "0a8d3f6e-1111-4222-8333-944455556666";
        HostKey before = HostKey.inMemory();
        HostKey key = HostKey.inMemory();
        var _ = pod(fleet, before, uid);
        fleet.badges.claim(SESSION, before.id(), Pods.SESSIONS_MAX);
        var _ = pod(other, key, uid);
        assertThat(other.badges.host(SESSION)).contains(key.id());
        SessionId second = new SessionId("00000000000000bb");
        requireRefused(
                FleetRefusal.FULL, () -> other.badges.claim(second, key.id(), Pods.SESSIONS_MAX));
        assertThat(fleet.badges.host(SESSION)).as("control: not seen").contains(before.id());

        fleet.pods.end(SESSION, true);

        requireRefused(FleetRefusal.POD_OVER, () -> pod(other, HostKey.inMemory(), uid));
        requireRefused(FleetRefusal.UNKNOWN_HOST, () -> other.hosts.verify(signed(key)));
        assertThat(other.hosts.list()).isEmpty();
        assertThat(other.badges.all()).isEmpty();
        var _ = pod(other, key, "1b8d3f6e-1111-4222-8333-944455556666");
        assertThat(other.hosts.verify(signed(key)).host()).as("control").isEqualTo(key.id());
    }

    @Test
    void i3_aPodThatOneGatewayRemovedIsOverAtTheOther() throws Exception {
        String uid = "0a8d3f6e-1111-4222-8333-944455556666";
        HostKey key = HostKey.inMemory();
        String name = pod(fleet, HostKey.inMemory(), uid).name();
        var _ = pod(other, key, uid);
        fleet.pods.remove(name);
        requireRefused(FleetRefusal.POD_OVER, () -> pod(other, HostKey.inMemory(), uid));
        requireRefused(FleetRefusal.UNKNOWN_HOST, () -> other.hosts.verify(signed(key)));
    }

    /// One that was away for longer than removals are remembered.
    @Test
    void whoWasAwayForLongSeesWhatIsGone() throws Exception {
        HostKey host = enrolled("build-1");
        HostKey next = enrolled("build-2");
        fleet.hosts.remove(host.id(), fleet.badges);
        server.execute("UPDATE fleet_record SET at = at - interval '2 hours'");
        fleet.hosts.remove(next.id(), fleet.badges);
        assertThat(server.ask("SELECT count(*) FROM fleet_record WHERE value IS NULL"))
                .isEqualTo("1");
        assertThat(other.hosts.list()).as("control: not seen yet").hasSize(2);
        other.store.refresh();
        assertThat(other.hosts.list()).isEmpty();
    }

    private record Thing(String text) {}

    @Test
    void aChangeThatFailsLeavesNothing() throws Exception {
        Shelf<Thing> shelf = fleet.store.shelf("things", Thing.class, (_, _) -> {});
        assertThatThrownBy(() -> fleet.store.update(() -> halfWay(shelf))).hasMessage("half-way");
        assertThat(shelf.all()).isEmpty();
        assertThat(server.ask("SELECT count(*) FROM fleet_record WHERE kind = 'things'"))
                .isEqualTo("0");
        fleet.store.update(
                () -> {
                    shelf.write("two", new Thing("b"));
                    return shelf;
                });
        assertThat(shelf.all()).as("control").containsOnlyKeys("two");
    }

    private static Thing halfWay(Shelf<Thing> shelf) throws IOException {
        shelf.write("one", new Thing("a"));
        throw new IOException("half-way");
    }

    @Test
    void gatewaysThatSaidSoLatelyCanBeReached() throws Exception {
        first.announce("a.example.com:8443");
        second.announce("b.example.com:8443");
        assertThat(second.gateways())
                .extracting(SharedRecords.Gateway::address)
                .containsExactly("b.example.com:8443", "a.example.com:8443");
        server.execute("UPDATE fleet_gateway SET until = now() WHERE address LIKE 'a%'");
        assertThat(first.gateways()).hasSize(1);
        second.withdraw();
        assertThat(first.gateways()).isEmpty();
    }
}

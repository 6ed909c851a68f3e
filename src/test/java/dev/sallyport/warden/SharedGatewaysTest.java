package dev.sallyport.warden;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.config.AgeKey;
import dev.sallyport.config.GitSettings;
import dev.sallyport.control.Api;
import dev.sallyport.control.HostApi;
import dev.sallyport.fixture.AgeKeys;
import dev.sallyport.fixture.HandClock;
import dev.sallyport.fixture.MemoryRecords;
import dev.sallyport.fleet.Enrolment;
import dev.sallyport.fleet.EnrolmentCode;
import dev.sallyport.fleet.HostId;
import dev.sallyport.fleet.HostKey;
import dev.sallyport.policy.SessionId;
import dev.sallyport.session.Session;
import dev.sallyport.session.SessionLeases;
import dev.sallyport.session.SessionStore;
import dev.sallyport.session.StoreException;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyPairGenerator;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// One of two gateways with the same store: what it does about what the other one has changed, and
/// how it takes a session that the other one had.
class SharedGatewaysTest {
    @TempDir Path temporary;
    private final MemoryRecords records = new MemoryRecords();
    private final HandClock clock = new HandClock();
    private final Held leases = new Held();
    private volatile boolean storeFails;
    private WardenParts parts;
    private FleetFiles.Source files;
    private Fleet fleet;
    private Sandboxes sandboxes;
    private Neighbours neighbours;
    private FleetUpkeep upkeep;

    /// Sessions that are with this gateway; it may take all others.
    private static final class Held implements SessionLeases {
        private final Set<SessionId> mine = ConcurrentHashMap.newKeySet();

        /// What happens when a session was just taken.
        private volatile Consumer<SessionId> taken = _ -> {};

        private volatile boolean fails;

        @Override
        public boolean holds(SessionId id) {
            if (fails) {
                throw new IllegalStateException("half-way");
            }
            return mine.contains(id);
        }

        @Override
        public boolean take(SessionId id) {
            mine.add(id);
            taken.accept(id);
            return true;
        }

        @Override
        public Optional<Holder> holder(SessionId id) {
            return Optional.of(new Holder("two", mine.contains(id)));
        }

        @Override
        public void release(SessionId id) {
            mine.remove(id);
        }

        @Override
        public void onLost(Consumer<SessionId> listener) {}

        @Override
        public void close() {}
    }

    @BeforeEach
    void begin() throws Exception {
        parts = new WardenParts(temporary);
        Thread.ofVirtual().start(parts::gatewayAnswers);
        AgeKey key = AgeKeys.create(temporary.resolve("age.txt"));
        files = new FleetFiles.Source(parts.home.fleet(), Optional.of(key), Optional.of(records));
        StoreSight sight = new StoreSight(true, clock::currentTimeNanos);
        fleet = new Fleet(files, parts.ledger, Patron.own(parts.home), Optional.empty(), sight);
        sandboxes = parts.over(ofMine(parts.store));
        PolicyChanges policy = new PolicyChanges(parts.live, sandboxes, parts.link, parts.ledger);
        neighbours =
                new Neighbours(files, leases, sandboxes, parts.authorities, policy, parts.ledger);
        GatewayLink link = new GatewayLink(silent(), leases);
        upkeep = new FleetUpkeep(files, fleet, sandboxes, link, neighbours, sight);
        fleet.begin(
                parts.link,
                sandboxes,
                SharedGatewaysTest::noOpening,
                new StoredLogins(parts.reach, parts.ledger),
                neighbours);
        neighbours.announce("one.example.com:8443");
    }

    @AfterEach
    void close() throws Exception {
        parts.close();
    }

    private static Session noOpening(String host, HostApi.Open request, FleetDesk.Made made)
            throws OperationException {
        throw FleetDesk.unknown();
    }

    /// Nobody is told anything.
    private static LinkMessages silent() {
        return (LinkMessages)
                Proxy.newProxyInstance(
                        LinkMessages.class.getClassLoader(),
                        new Class<?>[] {LinkMessages.class},
                        (_, method, _) -> {
                            throw new AssertionError(method.getName());
                        });
    }

    /// A store in which only sessions of this gateway are found, as in a database.
    private SessionStore ofMine(SessionStore all) {
        return (SessionStore)
                Proxy.newProxyInstance(
                        SessionStore.class.getClassLoader(),
                        new Class<?>[] {SessionStore.class},
                        (_, method, arguments) -> {
                            if (storeFails && method.getName().equals("update")) {
                                throw new StoreException("the store is full");
                            }
                            try {
                                Object found = method.invoke(all, arguments);
                                return found instanceof Optional<?> one
                                        ? one.filter(this::isMine)
                                        : found;
                            } catch (InvocationTargetException e) {
                                throw Objects.requireNonNull(e.getCause());
                            }
                        });
    }

    private boolean isMine(Object found) {
        return !(found instanceof Session session) || leases.mine.contains(session.id());
    }

    private HostId enrolled(String name) throws Exception {
        HostKey key = HostKey.inMemory();
        String code =
                files.get().hosts().invite(name, "one.example.com:8443", Duration.ofMinutes(10));
        var _ = files.get().hosts().enrol(Enrolment.request(EnrolmentCode.parse(code), key));
        return key.id();
    }

    private static byte[] sidecar() throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        return generator.generateKeyPair().getPublic().getEncoded();
    }

    private SessionId certified(HostId host) throws Exception {
        SessionId id = SessionId.random();
        files.get().badges().claim(id, host);
        var _ = files.get().badges().issue(id, host, sidecar());
        return id;
    }

    private Session planned(String name) throws Exception {
        return parts.plans.planRemote(
                "build-1",
                new HostApi.Open(
                        name,
                        List.of(),
                        Api.ReachRequest.STANDARD,
                        GitSettings.STANDARD,
                        Api.LifeRequest.STANDARD));
    }

    /// A session that the other gateway made and gave back.
    private Session elsewhere() throws Exception {
        Session made = parts.sandboxes.create(planned("agent"));
        parts.link.detach(made.id());
        return made;
    }

    private boolean isAttached(SessionId id) {
        return parts.link.isAttached(id.value());
    }

    private static List<String> hosts(Session session) {
        return session.egress().rules().stream().map(rule -> rule.host().toString()).toList();
    }

    private void policy(String text) throws Exception {
        Files.writeString(parts.home.policyFile(), text);
        Files.setPosixFilePermissions(
                parts.home.policyFile(), PosixFilePermissions.fromString("rw-r--r--"));
        parts.live.take(parts.live.read());
    }

    private void requireNotTaken(SessionId id) throws OperationException {
        assertThat(isAttached(id)).isFalse();
        assertThat(leases.mine).isEmpty();
        assertThat(sandboxes.find(id)).isEmpty();
    }

    @Test
    void i3_aSessionWhoseHostIsNotEnrolledHasNoCertificates() throws Exception {
        SessionId good = certified(enrolled("build-1"));
        SessionId orphan = certified(HostKey.inMemory().id());
        assertThat(files.get().badges().current(orphan)).hasSize(1);
        assertThat(fleet.badges(orphan).badges()).isEmpty();
        assertThat(fleet.areGood(orphan)).isFalse();
        assertThat(fleet.badges(good).badges()).as("control").hasSize(1);
        assertThat(fleet.areGood(good)).isTrue();
    }

    @Test
    void i3_nobodyComesInWhileItIsNotSeenWhatOthersTakeAway() throws Exception {
        SessionId session = certified(enrolled("build-1"));
        clock.passSeconds(19);
        assertThat(fleet.badges(session).badges()).hasSize(1);
        upkeep.lookNow();
        records.away = true;
        clock.passSeconds(19);
        assertThatThrownBy(upkeep::lookNow).isInstanceOf(IOException.class);
        assertThat(fleet.badges(session).badges()).hasSize(1);
        clock.passSeconds(2);
        assertThat(fleet.badges(session).badges()).isEmpty();
        assertThat(fleet.areGood(session)).as("its sandbox runs on").isTrue();
        records.away = false;
        upkeep.lookNow();
        assertThat(fleet.badges(session).badges()).hasSize(1);
    }

    @Test
    void i3_whatChangedIsNotForgottenBeforeItHadItsEffect() throws Exception {
        SessionId session = certified(enrolled("build-1"));
        sandboxes.remarks().put(session, Remarks.Topic.GATEWAY, "trouble");
        records.put("badges", session.value(), records.value("badges", session.value()));
        leases.fails = true;
        assertThatThrownBy(upkeep::lookNow).hasMessage("half-way");
        assertThat(sandboxes.remarks().on(session)).hasSize(1);
        leases.fails = false;
        upkeep.lookNow();
        assertThat(sandboxes.remarks().on(session)).isEmpty();
    }

    @Test
    void i3_theSessionOfARemovedHostIsTakenWithoutCertificates() throws Exception {
        SessionId orphan = elsewhere().id();
        HostId gone = HostKey.inMemory().id();
        files.get().badges().claim(orphan, gone);
        var _ = files.get().badges().issue(orphan, gone, sidecar());
        List<Boolean> alive = new ArrayList<>();
        leases.taken = id -> alive.add(isAlive(id));
        assertThat(isAlive(orphan)).as("control").isTrue();
        upkeep.endOrphans();
        assertThat(alive).containsExactly(false);
        assertThat(parts.runtime.destroyed).contains(orphan);
    }

    @Test
    void theSessionOfAHostWhoseRecordCannotBeReadIsNotEnded() throws Exception {
        HostId host = enrolled("build-1");
        SessionId session = certified(host);
        records.put("hosts", host.value(), new byte[] {1, 2, 3});
        upkeep.lookNow();
        assertThat(files.get().hosts().find(host)).as("control: it is not read").isEmpty();
        upkeep.endOrphans();
        assertThat(isAlive(session)).isTrue();
        assertThat(parts.runtime.destroyed).doesNotContain(session);
    }

    private boolean isAlive(SessionId id) {
        try {
            return files.get().badges().isAlive(id);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void i1_aSessionThatCannotBeNarrowedIsNotTaken() throws Exception {
        policy("egress: [{host: a.example}, {host: b.example}]");
        SessionId id = elsewhere().id();
        policy("egress: [{host: b.example}]");
        storeFails = true;
        assertThatThrownBy(() -> neighbours.take(id)).isInstanceOf(OperationException.class);
        requireNotTaken(id);
        storeFails = false;
        assertThat(hosts(neighbours.take(id))).containsExactly("b.example");
        assertThat(isAttached(id)).isTrue();
        assertThat(Files.readString(parts.home.auditLog())).contains("session.take");
    }

    @Test
    void i1_nobodyFindsASessionBeforeItIsWhole() throws Exception {
        SessionId id = elsewhere().id();
        List<Object> seen = new ArrayList<>();
        leases.taken =
                taken ->
                        CompletableFuture.runAsync(
                                        () -> {
                                            seen.add(found(taken));
                                            sandboxes.check(taken);
                                            seen.add(isAttached(taken));
                                        })
                                .join();
        var _ = neighbours.take(id);
        assertThat(seen).containsExactly(Optional.empty(), false);
        assertThat(found(id)).isPresent();
        assertThat(isAttached(id)).isTrue();
    }

    private Optional<Session> found(SessionId id) {
        try {
            return sandboxes.find(id);
        } catch (OperationException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aSessionThatIsTakenWhileThePortClosesIsGivenBack() throws Exception {
        SessionId id = elsewhere().id();
        leases.taken = _ -> CompletableFuture.runAsync(neighbours::giveBack).join();
        assertThatThrownBy(() -> neighbours.take(id)).isInstanceOf(OperationException.class);
        requireNotTaken(id);
        leases.taken = _ -> {};
        neighbours.announce("one.example.com:8443");
        assertThat(neighbours.take(id).id()).isEqualTo(id);
        assertThat(isAttached(id)).isTrue();
    }

    @Test
    void noSessionIsMadeWhileThePortCloses() throws Exception {
        Session first = planned("first");
        leases.mine.add(first.id());
        assertThat(neighbours.made(() -> sandboxes.create(first)).name())
                .as("control")
                .isNotEmpty();
        Session late = planned("late");
        leases.mine.add(late.id());
        assertThatThrownBy(
                        () ->
                                neighbours.made(
                                        () -> {
                                            neighbours.giveBack();
                                            leases.mine.add(late.id());
                                            return sandboxes.create(late);
                                        }))
                .hasMessageContaining("closing");
        assertThat(parts.runtime.destroyed).containsExactly(late.id());
        List<String> asked = new ArrayList<>();
        assertThatThrownBy(
                        () ->
                                neighbours.made(
                                        () -> {
                                            asked.add("made");
                                            return late;
                                        }))
                .hasMessageContaining("closing");
        assertThat(asked).isEmpty();
    }

    @Test
    void whatIsSharedIsNotSaidToBeEncryptedToAnotherKey() throws Exception {
        files.get();
        AgeKey other = AgeKeys.create(temporary.resolve("other.txt"));
        byte[] before = records.value("authority", "authority");
        assertThatThrownBy(() -> files.sealing(other).seal()).hasMessageContaining("another key");
        assertThat(records.value("authority", "authority")).isEqualTo(before);
        files.sealing(files.key().orElseThrow()).seal();
        assertThat(records.value("authority", "authority")).as("control").isNotEqualTo(before);
    }
}

package dev.sallyport.warden;

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
import dev.sallyport.fleet.SessionBadges;
import dev.sallyport.policy.SessionId;
import dev.sallyport.session.OtherSessions;
import dev.sallyport.session.Session;
import dev.sallyport.session.SessionLeases;
import dev.sallyport.session.SessionStore;
import dev.sallyport.session.StoreException;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.security.KeyPairGenerator;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/// One of two gateways with the same store. The other one is what a test does to the store.
final class SharedGateway implements AutoCloseable {
    /// Makes no session.
    static final HostSessions.Opening NO_OPENING =
            (_, _, _) -> {
                throw FleetDesk.unknown();
            };

    final MemoryRecords records = new MemoryRecords();
    final HandClock clock = new HandClock();
    final Held leases = new Held();
    volatile boolean storeFails;

    /// Whether this gateway looks before the other one writes.
    volatile boolean looksTooEarly;

    volatile OtherSessions.Place otherPlace =
            new OtherSessions.Place("two", Optional.of("two.example.com:8443"), true);
    final WardenParts parts;
    final FleetFiles.Source files;
    final Fleet fleet;
    final Sandboxes sandboxes;
    final Neighbours neighbours;
    final FleetUpkeep upkeep;
    final StoreSight sight;

    /// Sessions that are with this gateway; it may take all others.
    static final class Held implements SessionLeases {
        final Set<SessionId> mine = ConcurrentHashMap.newKeySet();

        /// What happens when a session was just taken.
        volatile Consumer<SessionId> taken = _ -> {};

        volatile boolean fails;

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

    SharedGateway(Path temporary) throws Exception {
        parts = new WardenParts(temporary);
        Thread.ofVirtual().start(parts::gatewayAnswers);
        AgeKey key = AgeKeys.create(temporary.resolve("age.txt"));
        files = new FleetFiles.Source(parts.home.fleet(), Optional.of(key), Optional.of(records));
        sight = new StoreSight(true, clock::currentTimeNanos);
        fleet = new Fleet(files, parts.ledger, Patron.own(parts.home), Optional.empty(), sight);
        sandboxes = parts.over(ofMine(parts.store));
        PolicyChanges policy = new PolicyChanges(parts.live, sandboxes, parts.link, parts.ledger);
        neighbours =
                new Neighbours(files, leases, sandboxes, parts.authorities, policy, parts.ledger);
        GatewayLink link = new GatewayLink(silent(), leases);
        upkeep = new FleetUpkeep(files, fleet, sandboxes, link, neighbours, sight);
        StoredLogins logins = new StoredLogins(parts.reach, parts.ledger);
        fleet.begin(parts.link, sandboxes, NO_OPENING, logins, neighbours);
        neighbours.announce("one.example.com:8443");
    }

    @Override
    public void close() throws IOException {
        parts.close();
    }

    /// Nobody is told anything.
    static LinkMessages silent() {
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
                            if (method.getName().equals("others")) {
                                return ofOthers(all);
                            }
                            if (storeFails && method.getName().equals("update")) {
                                throw new StoreException("the store is full");
                            }
                            try {
                                return mine(method.invoke(all, arguments));
                            } catch (InvocationTargetException e) {
                                throw Objects.requireNonNull(e.getCause());
                            }
                        });
    }

    private Object mine(Object found) {
        return switch (found) {
            case Optional<?> one -> one.filter(this::isMine);
            case SessionStore.Contents(var sessions, var damaged) ->
                    new SessionStore.Contents(
                            sessions.stream().filter(this::isMine).toList(), damaged);
            case null, default -> found;
        };
    }

    /// What the same store has of the other gateway.
    private OtherSessions ofOthers(SessionStore all) {
        return new OtherSessions() {
            @Override
            public Optional<String> here() {
                return Optional.of("one");
            }

            @Override
            public Page after(String id) throws StoreException {
                List<Found> found =
                        all.contents().sessions().stream()
                                .filter(session -> !looksTooEarly && !isMine(session))
                                .map(session -> new Found(session, otherPlace))
                                .toList();
                return new Page(found, Optional.empty());
            }

            @Override
            public Optional<Place> place(String name) throws StoreException {
                return find(name).map(Found::place);
            }

            @Override
            public Optional<Found> find(String name) throws StoreException {
                return after("").found().stream()
                        .filter(found -> found.session().name().equals(name))
                        .findFirst();
            }
        };
    }

    private boolean isMine(Object found) {
        return !(found instanceof Session session) || leases.mine.contains(session.id());
    }

    HostId enrolled(String name) throws Exception {
        HostKey key = HostKey.inMemory();
        String code =
                files.get().hosts().invite(name, "one.example.com:8443", Duration.ofMinutes(10));
        var _ = files.get().hosts().enrol(Enrolment.request(EnrolmentCode.parse(code), key));
        return key.id();
    }

    static byte[] sidecar() throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        return generator.generateKeyPair().getPublic().getEncoded();
    }

    SessionId certified(HostId host) throws Exception {
        SessionId id = SessionId.random();
        files.get().badges().claim(id, host, SessionBadges.SESSIONS_PER_HOST_MAX);
        var _ = files.get().badges().issue(id, host, sidecar());
        return id;
    }

    Session planned(String name) throws Exception {
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
    Session elsewhere() throws Exception {
        Session made = parts.sandboxes.create(planned("agent"));
        parts.link.detach(made.id());
        return made;
    }
}

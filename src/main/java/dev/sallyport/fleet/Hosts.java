package dev.sallyport.fleet;

import dev.sallyport.config.ConfigException;
import dev.sallyport.config.SealedJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/// The hosts that a gateway's machine has enrolled, and what says whether one of them sent
/// something.
///
/// A request counts once, at all gateways that share a store. Without one, its nonce is remembered
/// while this process lives. The next process knows the time of the newest request that was
/// accepted from each host, and accepts none that was signed before: what was in flight at that
/// moment has to be signed again.
public final class Hosts {
    public static final int HOSTS_MAX = 1_000;

    /// How far the time of a request may be from ours.
    public static final Duration CLOCKS_APART_MAX = Duration.ofMinutes(5);

    private final FleetStore store;
    private final Shelf<Host> hosts;
    private final InstantSource clock;
    private final FleetAuthority authority;
    private final EnrolmentCodes codes;

    private Hosts(
            FleetStore store,
            Shelf<Host> hosts,
            InstantSource clock,
            FleetAuthority authority,
            EnrolmentCodes codes) {
        this.store = store;
        this.hosts = hosts;
        this.clock = clock;
        this.authority = authority;
        this.codes = codes;
    }

    /// One host. Its file has no secret, so it is not encrypted.
    ///
    /// @param newestEpochMilli the time of the newest request that was accepted, by the host's
    ///   clock
    private record Host(
            String name,
            String publicKeyHex,
            long enrolledEpochMilli,
            long seenEpochMilli,
            long newestEpochMilli) {
        Host {
            if (!MachineName.isOne(name)) {
                throw new IllegalArgumentException("this is not a host");
            }
            var _ = HexFormat.of().parseHex(publicKeyHex);
        }

        byte[] publicKey() {
            return HexFormat.of().parseHex(publicKeyHex);
        }

        HostId id() {
            return HostId.of(publicKey());
        }

        Host seen(Instant now, Instant signed) {
            return new Host(
                    name,
                    publicKeyHex,
                    enrolledEpochMilli,
                    now.toEpochMilli(),
                    Math.max(newestEpochMilli, signed.toEpochMilli()));
        }

        Enrolled shown() {
            return new Enrolled(
                    id(),
                    name,
                    Instant.ofEpochMilli(enrolledEpochMilli),
                    Instant.ofEpochMilli(seenEpochMilli));
        }
    }

    /// A host, as a person sees it.
    public record Enrolled(HostId id, String name, Instant enrolled, Instant seen) {}

    /// An enrolment code that is open, as a person sees it.
    public record Invitation(String id, String hostName, Instant expires) {}

    /// Something that an enrolled host asked for, just now and for the first time.
    public static final class Verified {
        private final SignedRequest.Parts request;

        private Verified(SignedRequest.Parts request) {
            this.request = request;
        }

        public HostId host() {
            return request.host();
        }

        public String operation() {
            return request.operation();
        }

        /// As the host wrote it; not parsed yet.
        public byte[] body() {
            return request.bodyBytes();
        }
    }

    /// Reads what is kept.
    public static Hosts open(FleetStore store, InstantSource clock, FleetAuthority authority)
            throws IOException {
        Shelf<Host> hosts =
                store.shelf(
                        FleetStore.HOSTS,
                        Host.class,
                        (name, host) -> {
                            requireOwn(name, host);
                            store.returned(
                                    host.id(), Instant.ofEpochMilli(host.newestEpochMilli()));
                        });
        return new Hosts(store, hosts, clock, authority, EnrolmentCodes.open(store, clock));
    }

    /// See [FleetStore#machines].
    static List<String> namesIn(Path directory) throws IOException {
        Path kept = directory.resolve(FleetStore.HOSTS);
        if (!Files.isDirectory(kept)) {
            return List.of();
        }
        SealedJson<Host> hosts = new SealedJson<>(kept, Optional.empty(), Host.class);
        List<String> names = new ArrayList<>();
        for (String id : hosts.names()) {
            names.add(hosts.read(id).name());
        }
        return names.stream().filter(name -> !Pod.isHostName(name)).sorted().toList();
    }

    private static void requireOwn(String name, Host host) throws ConfigException {
        if (!host.id().value().equals(name)) {
            throw new ConfigException(
                    "The file of the host " + name + " is that of another host.",
                    "Restore it from a backup, or remove it and enrol the host again.");
        }
    }

    /// An enrolment code for a host of this name; it is shown once and kept nowhere.
    ///
    /// @param address of the gateway, as the host reaches it, `host:port`
    /// @param valid one minute to 24 hours
    public String invite(String name, String address, Duration valid) throws IOException {
        return store.update(
                () -> {
                    if (named(name).isPresent()) {
                        throw new ConfigException(
                                "A host named " + name + " is enrolled.",
                                "Remove that one first, or choose another name.");
                    }
                    if (Pod.isHostName(name)) {
                        throw new ConfigException(
                                "Names that begin with "
                                        + Pod.PREFIX
                                        + " are for pods of a cluster.",
                                "Choose another name.");
                    }
                    if (machines() >= HOSTS_MAX) {
                        throw new ConfigException(
                                HOSTS_MAX + " hosts are enrolled.",
                                "Remove those that are no longer used.");
                    }
                    return codes.create(name, address, valid, authority.authorityPems());
                });
    }

    /// The codes that are open.
    public List<Invitation> invitations() {
        return codes.list();
    }

    /// Takes a code back; whether it was open.
    public boolean withdraw(String codeId) throws IOException {
        return codes.close(codeId);
    }

    /// Enrols the host that sent this line, and closes its code.
    public Enrolled enrol(String line) throws IOException, RefusedException {
        Enrolment.Parts request = Enrolment.parse(line);
        return store.change(() -> enrol(request));
    }

    private Enrolled enrol(Enrolment.Parts request) throws IOException, RefusedException {
        requireAudience(request.audience());
        String name = codes.check(request);
        long now = clock.millis();
        Host host = new Host(name, request.publicKeyHex(), now, now, 0);
        if (named(name).isPresent() || hosts.find(host.id().value()).isPresent()) {
            throw new RefusedException(FleetRefusal.ALREADY_ENROLLED);
        }
        if (machines() >= HOSTS_MAX) {
            throw new RefusedException(FleetRefusal.FULL);
        }
        codes.close(request.codeId());
        keep(host);
        return host.shown();
    }

    /// Pods have their own bound.
    private long machines() {
        return hosts.all().values().stream().filter(host -> !Pod.isHostName(host.name())).count();
    }

    /// Enrols a pod with the key of this line. For [Pods], which knows whose token was in it;
    /// within [FleetStore#change].
    ///
    /// @param name no other pod's; hosts of that name are the same pod by keys that it had before,
    ///   and stay hosts until the caller replaces them
    Enrolled admit(PodEnrolment line, String name) throws IOException, RefusedException {
        requireAudience(line.audience());
        long now = clock.millis();
        Host host = new Host(name, line.publicKeyHex(), now, now, 0);
        Optional<Enrolled> same = find(host.id());
        if (same.isPresent() && !same.get().name().equals(name)) {
            throw new RefusedException(FleetRefusal.ALREADY_ENROLLED);
        }
        if (same.isEmpty()) {
            keep(host);
        }
        return same.orElseGet(host::shown);
    }

    /// A pod has another key. It is gone with the change under way, and not before: whoever finds a
    /// session without its host ends it.
    void replaced(HostId id) throws IOException {
        store.forget(id);
        hosts.remove(id.value());
    }

    private void requireAudience(String audience) throws IOException, RefusedException {
        if (!authority.audiences().contains(audience)) {
            throw new RefusedException(FleetRefusal.OTHER_GATEWAY);
        }
    }

    /// Who has signed this line, if that is an enrolled host. Nobody waits for it; it may have been
    /// there before, so nothing is done for it yet.
    public HostId signer(String line) throws RefusedException {
        return requireSigned(SignedRequest.parse(line)).id();
    }

    /// Says who sent this line, if it was an enrolled host, just now and for the first time. That
    /// is kept before this returns.
    public Verified verify(String line) throws IOException, RefusedException {
        SignedRequest.Parts request = SignedRequest.parse(line);
        // Before anybody else waits for it.
        requireSigned(request);
        return store.change(() -> verify(request));
    }

    private Host requireSigned(SignedRequest.Parts request) throws RefusedException {
        Optional<Host> host = hosts.find(request.host().value());
        if (host.isEmpty()) {
            throw new RefusedException(FleetRefusal.UNKNOWN_HOST);
        }
        if (!request.signed().isBy(host.get().publicKey())) {
            throw new RefusedException(FleetRefusal.BAD_SIGNATURE);
        }
        return host.get();
    }

    private Verified verify(SignedRequest.Parts request) throws IOException, RefusedException {
        Host host = requireSigned(request);
        requireAudience(request.audience());
        Instant now = clock.instant();
        if (Duration.between(request.time(), now).abs().compareTo(CLOCKS_APART_MAX) > 0) {
            throw new RefusedException(FleetRefusal.NOT_NOW);
        }
        store.remember(request, now);
        keep(host.seen(now, request.time()));
        return new Verified(request);
    }

    private void keep(Host host) throws IOException {
        hosts.write(host.id().value(), host);
    }

    /// For a process that only keeps strangers away; see [SignedRequest#looksSigned].
    public List<byte[]> publicKeys() {
        return hosts.all().values().stream().map(Host::publicKey).toList();
    }

    public List<Enrolled> list() {
        return hosts.all().values().stream().map(Host::shown).toList();
    }

    public Optional<Enrolled> find(HostId id) {
        return hosts.find(id.value()).map(Host::shown);
    }

    public Optional<Enrolled> named(String name) {
        Collection<Host> all = hosts.all().values();
        return all.stream().filter(host -> host.name().equals(name)).findFirst().map(Host::shown);
    }

    /// Whether it was enrolled; nothing that it signs is accepted any more, here not even when that
    /// cannot be written. The certificates of its sessions go with it; the caller ends them.
    public boolean remove(HostId id, SessionBadges badges) throws IOException {
        boolean there = hosts.find(id.value()).isPresent();
        hosts.hide(id.value());
        store.update(
                () -> {
                    store.forget(id);
                    hosts.remove(id.value());
                    badges.release(id);
                    return id;
                });
        return there;
    }
}

package dev.sallyport.fleet;

import dev.sallyport.config.AgeKey;
import dev.sallyport.config.ConfigException;
import dev.sallyport.config.Ownership;
import dev.sallyport.config.SealedJson;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// The hosts that a gateway's machine has enrolled, and what says whether one of them sent
/// something.
///
/// A request counts once. While this process lives its nonce is remembered. The next process knows
/// the time of the newest request that was accepted from each host, and accepts none that was
/// signed before: what was in flight at that moment has to be signed again.
public final class Hosts {
    public static final int HOSTS_MAX = 1_000;

    /// How far the time of a request may be from ours.
    public static final Duration CLOCKS_APART_MAX = Duration.ofMinutes(5);

    private final SealedJson<Host> files;
    private final InstantSource clock;
    private final FleetAuthority authority;
    private final EnrolmentCodes codes;
    private final Map<String, Host> hosts = new TreeMap<>();

    private final Nonces nonces = new Nonces();

    private Hosts(
            SealedJson<Host> files,
            InstantSource clock,
            FleetAuthority authority,
            EnrolmentCodes codes) {
        this.files = files;
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

    /// Reads what is on disk.
    ///
    /// @param directory of the fleet, 0700; made where there is none
    /// @param key what secrets are encrypted to on disk
    public static Hosts open(
            Path directory, Optional<AgeKey> key, InstantSource clock, FleetAuthority authority)
            throws IOException {
        Ownership.createPrivateDirectory(directory);
        SealedJson<Host> files =
                new SealedJson<>(directory.resolve("hosts"), Optional.empty(), Host.class);
        Hosts opened =
                new Hosts(files, clock, authority, EnrolmentCodes.open(directory, key, clock));
        for (String name : files.names()) {
            Host host = files.read(name);
            if (!host.id().value().equals(name)) {
                throw new ConfigException(
                        "The file of the host " + name + " is that of another host.",
                        "Restore it from a backup, or remove it and enrol the host again.");
            }
            opened.hosts.put(name, host);
            opened.nonces.forgotten(host.id(), Instant.ofEpochMilli(host.newestEpochMilli()));
        }
        return opened;
    }

    /// Encrypts the open codes on disk to the key that is configured.
    public static void seal(Path directory, AgeKey key) throws IOException {
        Ownership.createPrivateDirectory(directory);
        EnrolmentCodes.seal(directory, key);
    }

    /// An enrolment code for a host of this name; it is shown once and kept nowhere.
    ///
    /// @param address of the gateway, as the host reaches it, `host:port`
    /// @param valid one minute to 24 hours
    public synchronized String invite(String name, String address, Duration valid)
            throws IOException {
        if (named(name).isPresent()) {
            throw new ConfigException(
                    "A host named " + name + " is enrolled.",
                    "Remove that one first, or choose another name.");
        }
        if (Pod.isHostName(name)) {
            throw new ConfigException(
                    "Names that begin with " + Pod.PREFIX + " are for pods of a cluster.",
                    "Choose another name.");
        }
        if (machines() >= HOSTS_MAX) {
            throw new ConfigException(
                    HOSTS_MAX + " hosts are enrolled.", "Remove those that are no longer used.");
        }
        return codes.create(name, address, valid, authority.authorityPems());
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
    public synchronized Enrolled enrol(String line) throws IOException, RefusedException {
        Enrolment.Parts request = Enrolment.parse(line);
        requireAudience(request.audience());
        String name = codes.check(request);
        long now = clock.millis();
        Host host = new Host(name, request.publicKeyHex(), now, now, 0);
        if (named(name).isPresent() || hosts.containsKey(host.id().value())) {
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
        return hosts.values().stream().filter(host -> !Pod.isHostName(host.name())).count();
    }

    /// Enrols a pod with the key of this line. For [Pods], which knows whose token was in it.
    ///
    /// @param name no other pod's; hosts of that name are the same pod by keys that it had before,
    ///   and stay hosts until the caller removes them
    synchronized Enrolled admit(PodEnrolment line, String name)
            throws IOException, RefusedException {
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

    private void requireAudience(String audience) throws IOException, RefusedException {
        if (!authority.audiences().contains(audience)) {
            throw new RefusedException(FleetRefusal.OTHER_GATEWAY);
        }
    }

    /// Says who sent this line, if it was an enrolled host, just now and for the first time. That
    /// is on disk before this returns.
    public synchronized Verified verify(String line) throws IOException, RefusedException {
        SignedRequest.Parts request = SignedRequest.parse(line);
        Host host = hosts.get(request.host().value());
        if (host == null) {
            throw new RefusedException(FleetRefusal.UNKNOWN_HOST);
        }
        if (!request.signed().isBy(host.publicKey())) {
            throw new RefusedException(FleetRefusal.BAD_SIGNATURE);
        }
        requireAudience(request.audience());
        Instant now = clock.instant();
        if (Duration.between(request.time(), now).abs().compareTo(CLOCKS_APART_MAX) > 0) {
            throw new RefusedException(FleetRefusal.NOT_NOW);
        }
        nonces.add(request, now);
        keep(host.seen(now, request.time()));
        return new Verified(request);
    }

    private void keep(Host host) throws IOException {
        files.write(host.id().value(), host);
        hosts.put(host.id().value(), host);
    }

    /// For a process that only keeps strangers away; see [SignedRequest#looksSigned].
    public synchronized List<byte[]> publicKeys() {
        return hosts.values().stream().map(Host::publicKey).toList();
    }

    public synchronized List<Enrolled> list() {
        return hosts.values().stream().map(Host::shown).toList();
    }

    public synchronized Optional<Enrolled> find(HostId id) {
        return Optional.ofNullable(hosts.get(id.value())).map(Host::shown);
    }

    public synchronized Optional<Enrolled> named(String name) {
        Collection<Host> all = hosts.values();
        return all.stream().filter(host -> host.name().equals(name)).findFirst().map(Host::shown);
    }

    /// Whether it was enrolled; nothing that it signs is accepted any more. The caller ends its
    /// sessions.
    public synchronized boolean remove(HostId id) throws IOException {
        boolean there = hosts.remove(id.value()) != null;
        nonces.forget(id);
        files.removeForGood(id.value());
        return there;
    }
}

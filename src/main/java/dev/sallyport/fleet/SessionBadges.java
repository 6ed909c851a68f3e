package dev.sallyport.fleet;

import dev.sallyport.config.ConfigException;
import dev.sallyport.config.TrustedFiles;
import dev.sallyport.credential.CertifiedKey;
import dev.sallyport.policy.SessionId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// Which certificates are good now for the sessions of other machines. A certificate that is not
/// here is refused, whoever signed it: so taking one away here ends it at once.
///
/// Every change is kept before it has an effect. There is no secret in it, so it is not encrypted.
public final class SessionBadges {
    public static final int SESSIONS_MAX = 10_000;

    /// What one host may have.
    public static final int SESSIONS_PER_HOST_MAX = 500;

    /// How long a session may be without its first certificate.
    public static final Duration CLAIM_MAX = Duration.ofMinutes(5);

    /// Each is good for an hour, and a new one is made after a quarter of that at the earliest.
    private static final int BADGES_MAX = 5;

    private static final String RENEW = "sallyport-renew";

    private final FleetStore store;
    private final Shelf<Held> sessions;
    private final InstantSource clock;
    private final FleetAuthority authority;

    private SessionBadges(
            FleetStore store, Shelf<Held> sessions, InstantSource clock, FleetAuthority authority) {
        this.store = store;
        this.sessions = sessions;
        this.clock = clock;
        this.authority = authority;
    }

    /// @param key of the certificate
    private record Stored(String fingerprint, SessionKey key, long untilEpochMilli) {
        boolean isGood(Instant now) {
            return now.toEpochMilli() < untilEpochMilli;
        }

        Badge shown() {
            return new Badge(fingerprint, Instant.ofEpochMilli(untilEpochMilli));
        }
    }

    /// One session of a host.
    ///
    /// @param badges the newest last
    /// @param certified whether there ever was one
    private record Held(
            HostId host, List<Stored> badges, long claimedEpochMilli, boolean certified) {
        Held {
            badges = List.copyOf(badges);
            if (badges.size() > BADGES_MAX) {
                throw new IllegalArgumentException("a session has few certificates");
            }
        }

        /// Without certificates, and without the time for a first one.
        Held bare() {
            return new Held(host, List.of(), claimedEpochMilli, true);
        }

        boolean isAlive(Instant now) {
            return badges.stream().anyMatch(badge -> badge.isGood(now))
                    || (!certified
                            && now.isBefore(
                                    Instant.ofEpochMilli(claimedEpochMilli).plus(CLAIM_MAX)));
        }
    }

    /// A certificate that is good.
    ///
    /// @param fingerprint SHA-256 of the certificate, in hex
    public record Badge(String fingerprint, Instant until) {}

    /// A new certificate, for the host that asked.
    public record Issued(String certificatePem, Badge badge) {}

    /// Reads what is kept.
    public static SessionBadges open(
            FleetStore store, InstantSource clock, FleetAuthority authority) throws IOException {
        Shelf<Held> sessions =
                store.shelf(FleetStore.BADGES, Held.class, (name, _) -> requireSession(name));
        return new SessionBadges(store, sessions, clock, authority);
    }

    private static void requireSession(String name) throws ConfigException {
        try {
            var _ = new SessionId(name);
        } catch (IllegalArgumentException _) {
            throw new ConfigException(
                    "Among the certificates of sessions is a file that is none: " + name + ".",
                    "Remove it.");
        }
    }

    /// From now on the session is this host's, and no other one gets a certificate for it.
    ///
    /// @param sessionsMax how many the host may have
    public void claim(SessionId session, HostId host, int sessionsMax)
            throws IOException, RefusedException {
        store.change(
                () -> {
                    if (sessions.find(session.value()).isPresent()) {
                        throw new RefusedException(FleetRefusal.OTHER_HOST);
                    }
                    if (sessions.all().size() >= SESSIONS_MAX
                            || sessions(host).size() >= sessionsMax) {
                        throw new RefusedException(FleetRefusal.FULL);
                    }
                    keep(session, new Held(host, List.of(), clock.millis(), false));
                    return session;
                });
    }

    /// Makes the first certificate of a session, or one that replaces all that it has, because its
    /// sidecar was lost.
    ///
    /// @param spki the sidecar's public key
    public Issued issue(SessionId session, HostId host, byte[] spki)
            throws IOException, RefusedException {
        return store.change(() -> add(session, held(session, host), List.of(), spki));
    }

    /// Makes a certificate that follows another, which stays good until it ends by itself, for what
    /// is under way.
    ///
    /// @param proof see [#proofText], signed with the key of the newest certificate
    public Issued renew(SessionId session, HostId host, byte[] spki, byte[] proof)
            throws IOException, RefusedException {
        return store.change(() -> follow(session, held(session, host), spki, proof));
    }

    private Issued follow(SessionId session, Held held, byte[] spki, byte[] proof)
            throws IOException, RefusedException {
        Instant now = clock.instant();
        List<Stored> good = held.badges().stream().filter(badge -> badge.isGood(now)).toList();
        if (good.isEmpty()) {
            throw new RefusedException(FleetRefusal.NOT_CURRENT);
        }
        byte[] text = proofText(session, spki);
        if (!good.getLast().key().verifies(text, proof)) {
            throw new RefusedException(FleetRefusal.BAD_PROOF);
        }
        int first = Math.max(0, good.size() - BADGES_MAX + 1);
        return add(session, held, good.subList(first, good.size()), spki);
    }

    private Held held(SessionId session, HostId host) throws RefusedException {
        Optional<Held> held = sessions.find(session.value());
        if (held.isEmpty()) {
            throw new RefusedException(FleetRefusal.NOT_CURRENT);
        }
        if (!held.get().host().equals(host)) {
            throw new RefusedException(FleetRefusal.OTHER_HOST);
        }
        return held.get();
    }

    /// What a sidecar signs, with ECDSA and SHA-256, to have its next key certified.
    ///
    /// @param spki the next public key
    public static byte[] proofText(SessionId session, byte[] spki) {
        byte[] head = (RENEW + session.value()).getBytes(StandardCharsets.US_ASCII);
        byte[] text = Arrays.copyOf(head, head.length + spki.length);
        System.arraycopy(spki, 0, text, head.length, spki.length);
        return text;
    }

    private Issued add(SessionId session, Held held, List<Stored> kept, byte[] spki)
            throws IOException, RefusedException {
        SessionKey key = SessionKey.parse(spki);
        Instant latest = clock.instant().plus(FleetAuthority.SESSION_MAX);
        String pem = authority.certify(session, spki, latest);
        try {
            X509Certificate made = CertifiedKey.parse(pem);
            long until = made.getNotAfter().toInstant().toEpochMilli();
            Stored badge = new Stored(TrustedFiles.digest(made.getEncoded()), key, until);
            List<Stored> badges = new ArrayList<>(kept);
            badges.add(badge);
            keep(session, new Held(held.host(), badges, held.claimedEpochMilli(), true));
            return new Issued(pem, badge.shown());
        } catch (CertificateException e) {
            throw new IllegalStateException("a certificate that was just made is none", e);
        }
    }

    private void keep(SessionId session, Held held) throws IOException {
        sessions.write(session.value(), held);
    }

    /// The certificates that are good for this session now, the newest last. No other is.
    public List<Badge> current(SessionId session) {
        Instant now = clock.instant();
        return sessions.find(session.value()).stream()
                .flatMap(held -> held.badges().stream())
                .filter(badge -> badge.isGood(now))
                .map(Stored::shown)
                .toList();
    }

    /// Whose session this is.
    public Optional<HostId> host(SessionId session) {
        return sessions.find(session.value()).map(Held::host);
    }

    /// The sessions of a host.
    public List<SessionId> sessions(HostId host) {
        return sessions.all().entrySet().stream()
                .filter(entry -> entry.getValue().host().equals(host))
                .map(entry -> new SessionId(entry.getKey()))
                .toList();
    }

    /// What was one host's is another's from now on: a pod whose sidecar was started again has
    /// another key, and with it another id. Within [FleetStore#change].
    void pass(HostId from, HostId to) throws IOException {
        for (SessionId session : sessions(from)) {
            Optional<Held> held = sessions.find(session.value());
            if (held.isPresent()) {
                keep(
                        session,
                        new Held(
                                to,
                                held.get().badges(),
                                held.get().claimedEpochMilli(),
                                held.get().certified()));
            }
        }
    }

    /// Takes all its certificates away; the session stays its host's. They are no longer good here
    /// even when that cannot be written.
    public void release(SessionId session) throws IOException {
        if (bare(session)) {
            store.update(
                    () -> {
                        Optional<Held> held = sessions.find(session.value());
                        if (held.isPresent()) {
                            keep(session, held.get().bare());
                        }
                        return session;
                    });
        }
    }

    /// Takes the certificates of all sessions of a host away. Within [FleetStore#change].
    void release(HostId host) throws IOException {
        for (SessionId session : sessions(host)) {
            Optional<Held> held = sessions.find(session.value());
            if (held.isPresent() && !held.get().badges().isEmpty()) {
                keep(session, held.get().bare());
            }
        }
    }

    /// Takes all its certificates away, as [#release(SessionId)] does, and forgets the session.
    public void end(SessionId session) throws IOException {
        if (bare(session)) {
            store.update(
                    () -> {
                        sessions.remove(session.value());
                        return session;
                    });
        }
    }

    /// Its certificates are no longer good here; nothing is written.
    ///
    /// @return whether the session is known
    boolean bare(SessionId session) {
        Optional<Held> held = sessions.find(session.value());
        held.ifPresent(present -> sessions.show(session.value(), present.bare()));
        return held.isPresent();
    }

    /// Whether a sandbox can come in for the session, or may ask for its first certificate.
    public boolean isAlive(SessionId session) {
        Instant now = clock.instant();
        return sessions.find(session.value()).filter(held -> held.isAlive(now)).isPresent();
    }

    /// Whether there ever was a certificate of it.
    public boolean wasCertified(SessionId session) {
        return sessions.find(session.value()).filter(Held::certified).isPresent();
    }

    /// All that are known, whether they are alive or not.
    public List<SessionId> all() {
        return sessions.all().keySet().stream().map(SessionId::new).toList();
    }
}

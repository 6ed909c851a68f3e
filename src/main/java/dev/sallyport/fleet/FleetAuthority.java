package dev.sallyport.fleet;

import dev.sallyport.config.ConfigException;
import dev.sallyport.config.TrustedFiles;
import dev.sallyport.credential.CertifiedKey;
import dev.sallyport.credential.Issuer;
import dev.sallyport.credential.Secret;
import dev.sallyport.policy.SessionId;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The certificate authority of a gateway's machine. It certifies the gateway, and each session of
/// another machine. Its key stays with the warden.
///
/// A rotation goes through three stages, each of which survives a restart:
///
/// | from | hosts trust | sessions are certified by | the gateway is certified by |
/// |---|---|---|---|
/// | the rotation | both | the new one | the old one |
/// | one [#OVERLAP] later | both | the new one | the new one |
/// | two later | the new one | the new one | the new one |
///
/// So a host that asks at least once in an overlap has the new one before it needs it, and when the
/// old one goes no session's certificate has been signed by it for long.
public final class FleetAuthority {
    public static final Duration OVERLAP = Duration.ofHours(24);

    /// Of the certificate of a session.
    public static final Duration SESSION_MAX = Duration.ofHours(1);

    private static final Duration LIFE = Duration.ofDays(3_650);

    /// Its key is with the exposed process, so it is not good for long.
    private static final Duration SERVER_LIFE = Duration.ofDays(3);

    private static final Duration SERVER_LEFT_MIN = Duration.ofDays(1);

    /// The other machine's clock may be behind.
    private static final Duration BACK = Duration.ofMinutes(5);

    private static final String FILE = "authority";
    private static final int NAME_CHARS = 8;

    private final FleetStore store;
    private final Shelf<Stored> shelf;
    private final InstantSource clock;
    private volatile Parsed parsed;

    private FleetAuthority(FleetStore store, Shelf<Stored> shelf, InstantSource clock) {
        this.store = store;
        this.shelf = shelf;
        this.clock = clock;
        this.parsed = parsed(shelf);
    }

    private record StoredAuthority(String certificate, Secret key, long sinceEpochMilli) {}

    private record Stored(
            List<StoredAuthority> authorities, String serverCertificate, Secret serverKey) {
        Stored {
            if (authorities.isEmpty() || authorities.size() > 2) {
                throw new IllegalArgumentException("there are one or two authorities");
            }
        }
    }

    private record Held(Issuer issuer, Instant since) {
        X509Certificate certificate() {
            return issuer.own().certificate();
        }
    }

    /// @param authorities the newest last
    private record State(List<Held> authorities, CertifiedKey server) {
        Held newest() {
            return authorities.getLast();
        }

        Stored stored() {
            List<StoredAuthority> kept = new ArrayList<>();
            for (Held held : authorities) {
                CertifiedKey own = held.issuer().own();
                kept.add(
                        new StoredAuthority(
                                own.certificatePem(), own.key(), held.since().toEpochMilli()));
            }
            return new Stored(List.copyOf(kept), server.certificatePem(), server.key());
        }

        static State of(Stored stored) {
            List<Held> held = new ArrayList<>();
            for (StoredAuthority one : stored.authorities()) {
                CertifiedKey own = CertifiedKey.of(one.certificate(), one.key());
                held.add(new Held(Issuer.of(own), Instant.ofEpochMilli(one.sinceEpochMilli())));
            }
            return new State(
                    List.copyOf(held),
                    CertifiedKey.of(stored.serverCertificate(), stored.serverKey()));
        }
    }

    /// What was kept, and what it says.
    private record Parsed(Stored from, State state) {}

    private static Parsed parsed(Shelf<Stored> shelf) {
        Stored kept = shelf.find(FILE).orElseThrow(FleetAuthority::none);
        return new Parsed(kept, State.of(kept));
    }

    private static IllegalStateException none() {
        return new IllegalStateException("there is no authority any more");
    }

    /// As it was seen last; another gateway may have changed it.
    private State state() {
        Parsed known = parsed;
        if (!shelf.find(FILE).orElseThrow(FleetAuthority::none).equals(known.from())) {
            known = parsed(shelf);
            parsed = known;
        }
        return known.state();
    }

    /// Reads it, or makes one where there is none.
    public static FleetAuthority open(FleetStore store, InstantSource clock) throws IOException {
        Shelf<Stored> shelf =
                store.shelf(
                        FleetStore.AUTHORITY, Stored.class, (_, kept) -> requireWhole(store, kept));
        if (shelf.find(FILE).isEmpty()) {
            store.update(() -> first(shelf, clock.instant()));
        }
        return new FleetAuthority(store, shelf, clock);
    }

    /// Another gateway may have made it meanwhile.
    private static boolean first(Shelf<Stored> shelf, Instant now) throws IOException {
        boolean none = shelf.find(FILE).isEmpty();
        if (none) {
            Held made = fresh(now);
            shelf.write(FILE, new State(List.of(made), newServer(made, now)).stored());
        }
        return none;
    }

    private static void requireWhole(FleetStore store, Stored kept) throws ConfigException {
        try {
            var _ = State.of(kept);
        } catch (IllegalArgumentException _) {
            throw new ConfigException(
                    "The authority in " + store.shown() + " is damaged.",
                    "Restore it from a backup. Without one, move the directory away and enrol all hosts again.");
        }
    }

    private static Held fresh(Instant now) {
        String name = "Sallyport fleet " + SessionId.random().value().substring(0, NAME_CHARS);
        return new Held(Issuer.create(name, now.minus(BACK), now.plus(LIFE)), now);
    }

    private static CertifiedKey newServer(Held by, Instant now) {
        try {
            return by.issuer().server(FleetNames.GATEWAY, now.minus(BACK), now.plus(SERVER_LIFE));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("an authority that was checked does not sign", e);
        }
    }

    /// The certificates, in PEM, of all authorities that hosts have to trust now, and that may have
    /// certified a session; the newest last.
    public List<String> authorityPems() throws IOException {
        return settled(clock.instant()).authorities().stream()
                .map(held -> held.issuer().own().certificatePem())
                .toList();
    }

    /// The same for hosts that have pinned one of them.
    public List<PinnedAuthorities.Told> told() throws IOException {
        List<PinnedAuthorities.Told> told = new ArrayList<>();
        Held before = null;
        for (Held held : settled(clock.instant()).authorities()) {
            told.add(
                    new PinnedAuthorities.Told(
                            held.issuer().own().certificatePem(), endorsement(before, held)));
            before = held;
        }
        return told;
    }

    private static String endorsement(@Nullable Held before, Held next) {
        try {
            return before == null
                    ? ""
                    : PinnedAuthorities.endorse(
                            before.issuer().own().privateKey(), next.certificate());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("an authority that was checked does not sign", e);
        }
    }

    /// Where gateways are, for hosts. By the authority that they need for the gateway's certificate
    /// as well, so whoever could ask has pinned it.
    public String signed(SignedAddresses.Use use, List<String> addresses) throws IOException {
        Instant now = clock.instant();
        State state = settled(now);
        Held serving =
                isGood(state.server().certificate(), state.newest(), now)
                        ? state.newest()
                        : state.authorities().getFirst();
        try {
            return SignedAddresses.sign(serving.issuer().own().privateKey(), use, addresses, now);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("an authority that was checked does not sign", e);
        }
    }

    /// What requests may be addressed to: see [#audience(X509Certificate)].
    List<String> audiences() throws IOException {
        return settled(clock.instant()).authorities().stream()
                .map(held -> audience(held.certificate()))
                .toList();
    }

    /// Names a gateway by an authority that it has: SHA-256 of the certificate, in hex.
    public static String audience(X509Certificate authority) {
        try {
            return TrustedFiles.digest(authority.getEncoded());
        } catch (CertificateEncodingException e) {
            throw new IllegalStateException(e);
        }
    }

    /// What the gateway shows to hosts now. It changes from time to time, so whoever uses it asks
    /// again at least once a day.
    public CertifiedKey server() throws IOException {
        return settled(clock.instant()).server();
    }

    /// A certificate, in PEM, for a sidecar's key.
    ///
    /// @param spki the public key as a SubjectPublicKeyInfo, a point of P-256
    /// @param until it is never good for longer than an hour from now, whatever is asked for
    /// @throws RefusedException when it is another kind of key
    public String certify(SessionId session, byte[] spki, Instant until)
            throws IOException, RefusedException {
        SessionKey key = SessionKey.parse(spki);
        Instant now = clock.instant();
        if (!until.isAfter(now)) {
            throw new IllegalArgumentException("a certificate that is over is not made");
        }
        Instant latest = now.plus(SESSION_MAX);
        try {
            return settled(now)
                    .newest()
                    .issuer()
                    .client(
                            key.key(),
                            FleetNames.of(session),
                            now.minus(BACK),
                            until.isBefore(latest) ? until : latest);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("an authority that was checked does not sign", e);
        }
    }

    /// Begins to replace the authority by a new one.
    ///
    /// @return when the old one is no longer used; a host that has not asked until then has to be
    ///   enrolled again
    public Instant rotate() throws IOException {
        return store.update(
                () -> {
                    Instant now = clock.instant();
                    State before = settled(now);
                    if (before.authorities().size() > 1) {
                        throw new ConfigException(
                                "The authority is being replaced until " + gone(before) + ".",
                                "Wait until then.");
                    }
                    State next = new State(List.of(before.newest(), fresh(now)), before.server());
                    shelf.write(FILE, next.stored());
                    return gone(next);
                });
    }

    private static Instant gone(State of) {
        return of.newest().since().plus(OVERLAP.multipliedBy(2));
    }

    /// What holds now, kept before anybody sees it.
    private State settled(Instant now) throws IOException {
        State known = state();
        return next(known, now).isEmpty()
                ? known
                : store.update(
                        () -> {
                            State present = state();
                            Optional<State> next = next(present, now);
                            if (next.isPresent()) {
                                shelf.write(FILE, next.get().stored());
                            }
                            return next.orElse(present);
                        });
    }

    /// What has to take the place of this; empty while it is as it should be.
    private static Optional<State> next(State state, Instant now) {
        List<Held> authorities = state.authorities();
        if (authorities.size() > 1 && !now.isBefore(gone(state))) {
            authorities = List.of(state.newest());
        }
        boolean early = now.isBefore(state.newest().since().plus(OVERLAP));
        Held serving = early ? authorities.getFirst() : authorities.getLast();
        boolean kept = isGood(state.server().certificate(), serving, now);
        return kept && authorities.size() == state.authorities().size()
                ? Optional.empty()
                : Optional.of(
                        new State(authorities, kept ? state.server() : newServer(serving, now)));
    }

    /// Also not where the clock was set back to before it was made.
    private static boolean isGood(X509Certificate server, Held by, Instant now) {
        return server.getIssuerX500Principal().equals(by.certificate().getSubjectX500Principal())
                && !now.isBefore(server.getNotBefore().toInstant())
                && !now.plus(SERVER_LEFT_MIN).isAfter(server.getNotAfter().toInstant());
    }
}

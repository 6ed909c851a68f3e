package dev.sallyport.warden;

import dev.sallyport.config.AgeKey;
import dev.sallyport.config.SealedJson;
import dev.sallyport.credential.Authority;
import dev.sallyport.credential.Secret;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.SessionId;
import dev.sallyport.session.Session;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The certificate authorities of sandboxes that have hosts inspected: one private file each, so
/// that a sandbox still trusts the gateway after either process was started anew. The directory is
/// not the one whose files are mounted into sandboxes. Changes wait for each other, so that none
/// writes back what another has removed.
record Authorities(Path directory, Optional<AgeKey> key) {
    private static final System.Logger LOG = System.getLogger(Authorities.class.getName());

    private record Stored(String certificate, Secret key) {}

    /// A new one for a session with inspected or git hosts; nothing is written yet.
    static Optional<Authority> make(Session planned) {
        SortedSet<HostName> hosts = planned.policy().inspectedHosts();
        return hosts.isEmpty()
                ? Optional.empty()
                : Optional.of(Authority.create(planned.id(), hosts, planned.lifetime().latest()));
    }

    /// Called when the session is in the store already: what has no session is swept.
    synchronized void keep(SessionId session, Authority authority) throws IOException {
        files().write(session.value(), new Stored(authority.certificatePem(), authority.key()));
    }

    /// Empty when the session has none, or it cannot be read: what needs it is refused then, and
    /// the rest of the session works.
    Optional<Authority> find(Session session) {
        if (session.spec().caPem().isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(load(session.id()));
        } catch (IOException | IllegalArgumentException e) {
            LOG.log(
                    System.Logger.Level.ERROR,
                    "the certificate authority of " + session.name() + " cannot be read: {0}",
                    e.getMessage());
            return Optional.empty();
        }
    }

    private Authority load(SessionId session) throws IOException {
        Stored stored = files().read(session.value());
        return Authority.of(stored.certificate(), stored.key());
    }

    synchronized void remove(SessionId session) {
        try {
            files().remove(session.value());
        } catch (IOException e) {
            LOG.log(System.Logger.Level.ERROR, "left behind: the keys of " + session, e);
        }
    }

    /// The sessions that there is a file of, finished or not; asked before the store, so that one
    /// that is being made is not taken for an orphan.
    Set<SessionId> sessions() throws IOException {
        if (!Files.isDirectory(directory)) {
            return Set.of();
        }
        try (Stream<Path> entries = Files.list(directory)) {
            List<String> names = entries.map(entry -> String.valueOf(entry.getFileName())).toList();
            return names.stream()
                    .filter(name -> name.matches("[0-9a-f]{16}\\..*"))
                    .map(name -> new SessionId(name.substring(0, name.indexOf('.'))))
                    .collect(Collectors.toSet());
        }
    }

    boolean isSealed() {
        return key.isPresent();
    }

    /// Encrypts them all to the key that is configured.
    synchronized void seal() throws IOException {
        files().seal();
    }

    private SealedJson<Stored> files() {
        return new SealedJson<>(directory, key, Stored.class);
    }
}

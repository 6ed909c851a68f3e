package dev.sallyport.config;

import dev.sallyport.policy.HostName;
import java.util.Optional;

/// A git host that a session may be granted repositories of. github.com is built in; every other
/// one is an explicit decision in the policy file.
///
/// @param caPem certificates (PEM) to trust for this host instead of the system's
/// @param dial an explicit `address:port` to connect to; because a person wrote it, it may be
///   private or loopback
public record GitHost(HostName name, HostKind kind, Optional<String> caPem, Optional<String> dial) {
    public static final GitHost GITHUB =
            new GitHost(
                    new HostName("github.com"),
                    HostKind.GITHUB,
                    Optional.empty(),
                    Optional.empty());

    /// A repository's name with the host that is meant where none is given.
    public static String named(String repo) {
        boolean hasHost = repo.chars().filter(c -> c == '/').count() >= 2;
        return hasHost ? repo : GITHUB.name() + "/" + repo;
    }
}

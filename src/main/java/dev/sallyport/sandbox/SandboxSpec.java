package dev.sallyport.sandbox;

import dev.sallyport.config.GitSettings;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.SessionId;
import java.nio.file.Path;
import java.util.Optional;
import java.util.SortedSet;

/// What a sandbox is to be, fixed when it is made and kept in the store.
///
/// @param workspace canonical host directory, writable at the same path inside
/// @param image image reference, for Docker only
/// @param files directory of this sandbox that only we write: the configuration files that are
///   mounted read-only
/// @param gitHosts hosts that it has repositories of
/// @param git how git is set up inside
/// @param caPem certificate (PEM) of the sandbox's own authority, when TLS to some hosts is
///   inspected; programs inside are made to trust it
/// @param mounts what it sees of the host besides the workspace
/// @param resources how much of the machine it may take
/// @param hardening as whom it runs
/// @param home what is in its home directory
public record SandboxSpec(
        SessionId id,
        String name,
        RuntimeKind runtime,
        Path workspace,
        Optional<String> image,
        Path files,
        SortedSet<HostName> gitHosts,
        GitSettings git,
        Optional<String> caPem,
        Mounts mounts,
        Resources resources,
        Hardening hardening,
        SandboxHome home) {
    public SandboxSpec trusting(String authority) {
        return new SandboxSpec(
                id,
                name,
                runtime,
                workspace,
                image,
                files,
                gitHosts,
                git,
                Optional.of(authority),
                mounts,
                resources,
                hardening,
                home);
    }
}

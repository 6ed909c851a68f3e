package dev.sallyport.sandbox;

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
/// @param gitHosts hosts whose URLs are rewritten to the front door
public record SandboxSpec(
        SessionId id,
        String name,
        RuntimeKind runtime,
        Path workspace,
        Optional<String> image,
        Path files,
        SortedSet<HostName> gitHosts,
        boolean gitRewrite) {}

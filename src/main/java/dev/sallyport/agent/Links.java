package dev.sallyport.agent;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/// Follows symbolic links of the host.
@FunctionalInterface
public interface Links {
    /// The path without links; empty where one of them, or what they lead to, may be a sandbox's,
    /// which would choose what the next sandbox sees and runs (I15).
    Optional<Path> follow(Path path) throws IOException;
}

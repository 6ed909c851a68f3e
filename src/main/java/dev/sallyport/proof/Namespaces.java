package dev.sallyport.proof;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/// Which namespaces a process is in, as the kernel names them: `net:[4026531840]`.
final class Namespaces {
    private Namespaces() {}

    /// Empty when the process is gone or not ours to look at.
    static Optional<String> of(long pid, String kind) {
        try {
            Path link = Path.of("/proc", Long.toString(pid), "ns", kind);
            return Optional.of(Files.readSymbolicLink(link).toString());
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}

package dev.sallyport.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/// Which namespaces a process is in, as the kernel names them: `net:[4026531840]`.
public final class Namespaces {
    private Namespaces() {}

    /// Whether two processes are in one; no when one of them may not be looked at.
    public static boolean share(long pid, long other, String kind) {
        Optional<String> namespace = of(pid, kind);
        return namespace.isPresent() && namespace.equals(of(other, kind));
    }

    /// Empty when the process is gone or not ours to look at.
    public static Optional<String> of(long pid, String kind) {
        try {
            Path link = Path.of("/proc", Long.toString(pid), "ns", kind);
            return Optional.of(Files.readSymbolicLink(link).toString());
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}

package dev.sallyport.sandbox;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/// Whether a process has a filter for system calls (`seccomp(2)`), as the kernel says. Nobody can
/// take one off, so one that has it was given it, or its parent was.
public final class ProcessFilter {
    private static final String FILTERED = "2";

    private ProcessFilter() {}

    public static boolean isOn(long pid) {
        return mode(Path.of("/proc", Long.toString(pid))).filter(FILTERED::equals).isPresent();
    }

    /// Empty when it has ended, or may not be looked at.
    ///
    /// @param process its directory below `/proc`
    public static Optional<String> mode(Path process) {
        try {
            byte[] status = Files.readAllBytes(process.resolve("status"));
            return new String(status, StandardCharsets.ISO_8859_1)
                    .lines()
                    .filter(line -> line.startsWith("Seccomp:"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst();
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}

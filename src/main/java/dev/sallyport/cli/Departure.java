package dev.sallyport.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;

/// Waits for a process that has agreed to end. It is not our child: the JDK would look for its end
/// at intervals that grow to seconds, and would take it for alive until the machine's first process
/// has collected it.
///
/// @param sandboxes how many it stops first
record Departure(long pid, int sandboxes) {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Duration PATIENCE_PER_SANDBOX = Duration.ofSeconds(1);
    private static final Duration INTERVAL = Duration.ofMillis(20);

    void await() throws CliException, InterruptedException {
        Duration patience = PATIENCE.plus(PATIENCE_PER_SANDBOX.multipliedBy(sandboxes));
        Instant deadline = Instant.now().plus(patience);
        while (!isOver()) {
            if (Instant.now().isAfter(deadline)) {
                throw new CliException(
                        ExitCode.UNAVAILABLE,
                        "does-not-end",
                        "The daemon (process %d) did not stop within %d seconds."
                                .formatted(pid, patience.toSeconds()),
                        "Check its log, or end it: kill " + pid);
            }
            Thread.sleep(INTERVAL);
        }
    }

    private boolean isOver() {
        try {
            Path file = Path.of("/proc", Long.toString(pid), "stat");
            String stat = Files.readString(file, StandardCharsets.ISO_8859_1);
            return stat.startsWith("Z", stat.lastIndexOf(')') + 2);
        } catch (IOException e) {
            return true;
        }
    }
}

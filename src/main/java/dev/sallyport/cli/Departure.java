package dev.sallyport.cli;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Waits for a process that has agreed to end.
record Departure(long pid) {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    void await() throws CliException, InterruptedException {
        Optional<ProcessHandle> process = ProcessHandle.of(pid);
        if (process.isEmpty()) {
            return;
        }
        try {
            process.get().onExit().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new CliException(
                    ExitCode.UNAVAILABLE,
                    "does-not-end",
                    "The warden (process " + pid + ") has not ended within 20 seconds.",
                    "Look at its log; end it with: kill " + pid);
        }
    }
}

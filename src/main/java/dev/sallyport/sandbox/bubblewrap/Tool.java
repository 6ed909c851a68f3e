package dev.sallyport.sandbox.bubblewrap;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// Runs a host program to its end and keeps what it said.
record Tool(int exitCode, String output) {
    private static final Duration RUN_MAX = Duration.ofSeconds(30);
    private static final int OUTPUT_BYTES_MAX = 64 << 10;

    static Tool run(List<String> command) throws IOException {
        return run(command, Guise.OWN);
    }

    static Tool run(List<String> command, Guise guise) throws IOException {
        return run(command, guise, RUN_MAX);
    }

    static Tool run(List<String> command, Guise guise, Duration max) throws IOException {
        Process process = guise.start(builder(command).redirectErrorStream(true));
        long start = System.nanoTime();
        Thread limit = endLate(process, max);
        try (var said = process.getInputStream()) {
            String output =
                    new String(said.readNBytes(OUTPUT_BYTES_MAX), StandardCharsets.UTF_8).strip();
            // One that we have ended has not ended either.
            if (!process.waitFor(max.toMillis(), TimeUnit.MILLISECONDS)
                    || System.nanoTime() - start > max.toNanos()) {
                throw new IOException(command.getFirst() + " does not end");
            }
            return new Tool(process.exitValue(), output);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while running " + command.getFirst(), e);
        } finally {
            limit.interrupt();
            process.destroyForcibly();
        }
    }

    /// A pipe has no read timeout; ending the program with what it has started ends the reading.
    /// What outlives the program is not found. By its handle, because [Process#destroyForcibly]
    /// closes what is being read.
    static Thread endLate(Process process, Duration max) {
        return Thread.ofVirtual()
                .start(
                        () -> {
                            try {
                                if (!process.waitFor(max.toMillis(), TimeUnit.MILLISECONDS)) {
                                    process.descendants().forEach(ProcessHandle::destroyForcibly);
                                    process.toHandle().destroyForcibly();
                                }
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                            }
                        });
    }

    /// With nothing of this process's environment, and no terminal to read from.
    static ProcessBuilder builder(List<String> command) {
        var builder = new ProcessBuilder(command);
        builder.environment().clear();
        builder.environment().put("PATH", "/usr/bin:/bin:/usr/sbin:/sbin");
        return builder.redirectInput(new File("/dev/null"));
    }
}

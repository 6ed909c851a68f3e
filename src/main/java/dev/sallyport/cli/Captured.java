package dev.sallyport.cli;

import dev.sallyport.control.Api;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/// Runs a command in a sandbox like [Foreground], but keeps what it prints instead of showing it.
final class Captured {
    private static final int SECONDS_MAX = 60;
    private static final int BYTES_MAX = 1 << 20;

    private Captured() {}

    /// Standard output as ISO 8859-1, cut off at the limits; what it complains about is not kept.
    static String run(Api.ExecAnswer plan) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(plan.argv());
        builder.environment().clear();
        builder.environment().putAll(plan.environment());
        builder.redirectInput(new File("/dev/null"));
        builder.redirectError(ProcessBuilder.Redirect.DISCARD);
        Process process = plan.enters() ? Foreground.confined(builder) : builder.start();
        Thread limit = Thread.ofVirtual().start(() -> end(process));
        try (var said = process.getInputStream()) {
            return new String(said.readNBytes(BYTES_MAX), StandardCharsets.ISO_8859_1);
        } finally {
            limit.interrupt();
            process.destroyForcibly();
        }
    }

    /// A pipe has no read timeout; ending the writer ends the reading.
    private static void end(Process process) {
        try {
            if (!process.waitFor(SECONDS_MAX, TimeUnit.SECONDS)) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

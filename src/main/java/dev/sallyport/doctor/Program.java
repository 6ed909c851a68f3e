package dev.sallyport.doctor;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/// Asks a program of the host one question, with a limit on time and on what it says.
final class Program {
    private static final int SECONDS_MAX = 5;
    private static final int BYTES_MAX = 4_096;

    private Program() {}

    /// The first line of its answer; empty when it fails, is silent or takes too long.
    static Optional<String> firstLine(List<String> command) {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().clear();
        builder.environment().put("PATH", "/usr/bin:/bin:/usr/sbin:/sbin");
        builder.redirectInput(new File("/dev/null"));
        try {
            Process process = builder.start();
            Thread limit = Thread.ofVirtual().start(() -> end(process));
            try (var said = process.getInputStream()) {
                String text = new String(said.readNBytes(BYTES_MAX), StandardCharsets.UTF_8);
                boolean well = process.waitFor(SECONDS_MAX, TimeUnit.SECONDS);
                return text.lines()
                        .filter(line -> well && process.exitValue() == 0 && !line.isBlank())
                        .findFirst();
            } finally {
                limit.interrupt();
                process.destroyForcibly();
            }
        } catch (IOException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    /// A pipe has no read timeout; ending the writer ends the reading.
    private static void end(Process process) {
        try {
            if (!process.waitFor(SECONDS_MAX, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

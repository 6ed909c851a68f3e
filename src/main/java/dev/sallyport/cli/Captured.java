package dev.sallyport.cli;

import dev.sallyport.control.Api;
import dev.sallyport.control.ControlException;
import dev.sallyport.sandbox.HostProgram;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/// Runs a command in a sandbox like [Foreground], but keeps what it prints instead of showing it.
final class Captured {
    private static final Duration MOST = Duration.ofMinutes(1);
    private static final int BYTES_MAX = 1 << 20;
    private static final ProcessBuilder.Redirect NOTHING =
            ProcessBuilder.Redirect.from(new File("/dev/null"));

    /// Standard output as ISO 8859-1, cut off at the limits; what it complains about is not kept.
    static String run(Api.ExecAnswer plan) throws IOException {
        Process process = start(plan, NOTHING);
        Thread limit = HostProgram.endLate(process, MOST);
        try (var said = process.getInputStream()) {
            return new String(said.readNBytes(BYTES_MAX), StandardCharsets.ISO_8859_1);
        } finally {
            limit.interrupt();
            process.destroyForcibly();
        }
    }

    /// What a command said, and how it ended.
    ///
    /// @param text standard output as UTF-8, cut off at the limit
    /// @param status as of a shell; above 255 when it took too long
    record Outcome(int status, String text) {}

    /// A line that a command reads.
    interface Line {
        String get() throws IOException, ControlException;
    }

    /// The same, with the command's status.
    static Outcome outcome(Api.ExecAnswer plan, Duration most) throws IOException {
        return outcome(start(plan, NOTHING), most);
    }

    /// The same for a command that waits for a line, which is made while the command starts.
    static Outcome outcome(Api.ExecAnswer plan, Duration most, Line input)
            throws IOException, ControlException {
        Process process = start(plan, ProcessBuilder.Redirect.PIPE);
        try {
            tell(process, input.get());
            return outcome(process, most);
        } finally {
            process.destroyForcibly();
        }
    }

    private static void tell(Process process, String line) {
        try (var words = process.outputWriter(StandardCharsets.UTF_8)) {
            words.write(line + "\n");
        } catch (IOException _) {
            // It has ended, and says why itself.
        }
    }

    private static Outcome outcome(Process process, Duration most) throws IOException {
        Thread limit = HostProgram.endLate(process, most);
        try (var said = process.getInputStream()) {
            String text = new String(said.readNBytes(BYTES_MAX), StandardCharsets.UTF_8);
            return new Outcome(process.waitFor(), text);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while a command ran in the sandbox", e);
        } finally {
            limit.interrupt();
            process.destroyForcibly();
        }
    }

    private static Process start(Api.ExecAnswer plan, ProcessBuilder.Redirect input)
            throws IOException {
        ProcessBuilder builder = new ProcessBuilder(plan.argv());
        builder.environment().clear();
        builder.environment().putAll(plan.environment());
        builder.redirectInput(input);
        builder.redirectError(ProcessBuilder.Redirect.DISCARD);
        return plan.enters() ? Foreground.entering().start(builder) : builder.start();
    }
}

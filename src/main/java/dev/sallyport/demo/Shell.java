package dev.sallyport.demo;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/// Runs a program to its end, within a time limit, and keeps what it said.
final class Shell {
    private static final int SECONDS_MAX = 60;

    /// @param out raw bytes as ISO 8859-1, so that nothing is lost when they are searched
    record Said(int status, String out, String err) {
        boolean ok() {
            return status == 0;
        }

        /// Both streams as a person reads them.
        String text() {
            String all = out + err;
            return new String(all.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
        }

        /// The last line that says something.
        String lastLine() {
            return text().lines().filter(line -> !line.isBlank()).reduce((a, b) -> b).orElse("");
        }
    }

    static Said run(Path scratch, List<String> command, Map<String, String> environment, String in)
            throws IOException {
        return run(scratch, command, environment, in, _ -> {});
    }

    /// @param started is told of the process before it is waited for
    static Said run(
            Path scratch,
            List<String> command,
            Map<String, String> environment,
            String in,
            Consumer<Process> started)
            throws IOException {
        Path out = Files.createTempFile(scratch, "out", "");
        Path err = Files.createTempFile(scratch, "err", "");
        try {
            ProcessBuilder builder = new ProcessBuilder(command).directory(scratch.toFile());
            builder.environment().clear();
            builder.environment().putAll(environment);
            builder.redirectOutput(out.toFile()).redirectError(err.toFile());
            Process process = builder.start();
            started.accept(process);
            int status = await(process, in);
            return new Said(
                    status,
                    Files.readString(out, StandardCharsets.ISO_8859_1),
                    Files.readString(err, StandardCharsets.ISO_8859_1));
        } finally {
            Files.deleteIfExists(out);
            Files.deleteIfExists(err);
        }
    }

    private static int await(Process process, String in) throws IOException {
        try {
            process.getOutputStream().write(in.getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().close();
        } catch (IOException e) {
            // It does not read its input; what it says tells more.
            process.getOutputStream().flush();
        }
        try {
            if (!process.waitFor(SECONDS_MAX, TimeUnit.SECONDS)) {
                process.destroy();
                throw new IOException("a command took longer than " + SECONDS_MAX + " seconds");
            }
            return process.exitValue();
        } catch (InterruptedException e) {
            process.destroy();
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }
}

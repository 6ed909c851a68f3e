package dev.sallyport.sandbox;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/// A program of the host that has run to its end, and what it said. Programs are found in the
/// host's system directories only, never along a `PATH` that somebody else may have written.
///
/// @param output what it wrote, up to a limit, without white space around it
public record HostProgram(int exitCode, String output) {
    private static final List<Path> DIRECTORIES =
            List.of(
                    Path.of("/usr/bin"),
                    Path.of("/bin"),
                    Path.of("/usr/sbin"),
                    Path.of("/sbin"),
                    Path.of("/usr/local/bin"),
                    Path.of("/usr/local/sbin"));
    private static final Duration RUN_MAX = Duration.ofSeconds(30);
    private static final int OUTPUT_BYTES_MAX = 64 << 10;

    /// How a process is started, where [ProcessBuilder#start] is not enough.
    @FunctionalInterface
    public interface Start {
        Process start(ProcessBuilder builder) throws IOException;
    }

    public static Optional<Path> find(String name) {
        return DIRECTORIES.stream()
                .map(directory -> directory.resolve(name))
                .filter(Files::isExecutable)
                .findFirst();
    }

    public static String require(String name) throws SandboxException {
        return find(name)
                .map(Path::toString)
                .orElseThrow(
                        () ->
                                new SandboxException(
                                        "the program `"
                                                + name
                                                + "` is not installed. Install it with your system's package tool."));
    }

    /// With nothing of this process's environment, and no terminal to read from.
    public static ProcessBuilder builder(List<String> command) {
        var builder = new ProcessBuilder(command);
        builder.environment().clear();
        builder.environment().put("PATH", "/usr/bin:/bin:/usr/sbin:/sbin");
        return builder.redirectInput(new File("/dev/null"));
    }

    /// Runs it and keeps what it says on both streams.
    public static HostProgram run(List<String> command) throws IOException {
        return run(builder(command).redirectErrorStream(true), ProcessBuilder::start, RUN_MAX);
    }

    public static HostProgram run(ProcessBuilder builder, Start start) throws IOException {
        return run(builder, start, RUN_MAX);
    }

    public static HostProgram run(ProcessBuilder builder, Start start, Duration max)
            throws IOException {
        String name = builder.command().getFirst();
        Process process = start.start(builder);
        long begin = System.nanoTime();
        Thread limit = endLate(process, max);
        try (var said = process.getInputStream()) {
            String output =
                    new String(said.readNBytes(OUTPUT_BYTES_MAX), StandardCharsets.UTF_8).strip();
            // One that we have ended has not ended either.
            if (!process.waitFor(max.toMillis(), TimeUnit.MILLISECONDS)
                    || System.nanoTime() - begin > max.toNanos()) {
                throw new IOException(name + " does not end");
            }
            return new HostProgram(process.exitValue(), output);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while running " + name, e);
        } finally {
            limit.interrupt();
            process.destroyForcibly();
        }
    }

    /// A pipe has no read timeout; ending the program with what it has started ends the reading.
    /// What outlives the program is not found. By its handle, because [Process#destroyForcibly]
    /// closes what is being read.
    public static Thread endLate(Process process, Duration max) {
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
}

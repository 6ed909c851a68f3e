package dev.sallyport.demo;

import dev.sallyport.sandbox.HostProgram;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// Runs git on repositories that we made ourselves, with no configuration but our own (G17).
public final class Git {
    private static final int SECONDS_MAX = 120;

    private Git() {}

    /// What every git process of ours gets instead of the person's environment.
    public static Map<String, String> environment() {
        return Map.ofEntries(
                Map.entry("PATH", "/usr/local/bin:/usr/bin:/bin"),
                Map.entry("HOME", "/nonexistent"),
                Map.entry("LC_ALL", "C"),
                Map.entry("GIT_CONFIG_NOSYSTEM", "1"),
                Map.entry("GIT_CONFIG_GLOBAL", "/dev/null"),
                Map.entry("GIT_TERMINAL_PROMPT", "0"),
                Map.entry("GIT_AUTHOR_NAME", "Demo"),
                Map.entry("GIT_AUTHOR_EMAIL", "demo@demo.test"),
                Map.entry("GIT_COMMITTER_NAME", "Demo"),
                Map.entry("GIT_COMMITTER_EMAIL", "demo@demo.test"));
    }

    /// Returns what git printed; fails when git does.
    public static String run(Path directory, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of("git"));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = HostProgram.builder(command).directory(directory.toFile());
        builder.environment().putAll(environment());
        builder.redirectErrorStream(true);
        Process process = builder.start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (!process.waitFor(SECONDS_MAX, TimeUnit.SECONDS) || process.exitValue() != 0) {
                process.destroyForcibly();
                throw new IOException("git " + arguments[0] + " failed: " + said.strip());
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new IOException("git was interrupted", e);
        }
        return said.strip();
    }

    /// Makes a bare repository that can be pushed to over HTTP, with one commit on `main`.
    public static Path newRepository(Path root, String repo, Map<String, String> files)
            throws IOException {
        Path bare = root.resolve(repo + ".git");
        java.nio.file.Files.createDirectories(bare);
        run(bare, "init", "-q", "--bare", "--initial-branch=main", ".");
        run(bare, "config", "http.receivepack", "true");
        Path work = java.nio.file.Files.createTempDirectory(root, "seed");
        run(work, "init", "-q", "--initial-branch=main", ".");
        for (Map.Entry<String, String> file : files.entrySet()) {
            java.nio.file.Files.writeString(work.resolve(file.getKey()), file.getValue());
        }
        run(work, "add", "-A");
        run(work, "commit", "-q", "-m", "Begin");
        run(work, "push", "-q", bare.toString(), "main");
        return bare;
    }
}

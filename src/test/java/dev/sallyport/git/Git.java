package dev.sallyport.git;

import dev.sallyport.fixture.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// The git command as a sandbox would run it: no configuration but what a test gives.
public final class Git {
    private Git() {}

    public static Command.Result run(Path directory, String... arguments) {
        return command(directory, arguments).run();
    }

    static Command command(Path directory, String... arguments) {
        List<String> argv = new ArrayList<>(List.of("git"));
        argv.addAll(
                List.of(
                        "-c", "user.name=Test",
                        "-c", "user.email=test@test.example",
                        "-c", "init.defaultBranch=main",
                        "-c", "http.proxy=",
                        "-c", "gc.auto=0"));
        argv.addAll(List.of(arguments));
        return Command.of(argv)
                .in(directory)
                .with("GIT_CONFIG_GLOBAL", "/dev/null")
                .with("GIT_CONFIG_NOSYSTEM", "1")
                .with("GIT_TERMINAL_PROMPT", "0")
                .within(Duration.ofSeconds(90));
    }

    /// Turns these on in a repository, written as `section.key`; a process for each takes longer.
    static void turnOn(Path bare, String... keys) throws IOException {
        StringBuilder config = new StringBuilder();
        for (String key : keys) {
            String[] words = key.split("\\.", 2);
            config.append("[" + words[0] + "]\n\t" + words[1] + " = true\n");
        }
        Files.writeString(bare.resolve("config"), config, StandardOpenOption.APPEND);
    }

    /// Puts that many empty commits on top of `main`, quickly.
    public static void commits(Path work, int count) {
        StringBuilder stream = new StringBuilder();
        long now = System.currentTimeMillis() / 1_000;
        for (int i = 0; i < count; i++) {
            stream.append("commit refs/heads/main\ncommitter T <t@test.example> ")
                    .append(now + i)
                    .append(" +0000\ndata 1\nx\n")
                    .append(i == 0 ? "from refs/heads/main^0\n" : "");
        }
        Command.of("git", "fast-import", "--quiet").in(work).input(stream.toString()).run().ok();
    }

    public static String ok(Path directory, String... arguments) {
        return run(directory, arguments).ok();
    }
}

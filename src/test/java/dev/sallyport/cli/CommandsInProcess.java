package dev.sallyport.cli;

import dev.sallyport.config.Home;
import dev.sallyport.control.ControlClient;
import dev.sallyport.control.ControlException;
import dev.sallyport.fixture.Command;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Runs commands in the JVM of a test instead of one of their own, which takes a quarter of a
/// second of processor time for each. Only those that need no terminal, no signals and nothing of
/// their own process, only with a daemon that runs, and only where the build says so. What runs in
/// a sandbox is a process either way. `CommandsAsProcessesIT` runs each of them in a process.
public final class CommandsInProcess {
    /// The property by which the build says so.
    public static final String ALLOWED = "sallyport.commands.in-process";

    static final Set<String> ASKING =
            Set.of(
                    "allow",
                    "approvals",
                    "approve",
                    "audit",
                    "denials",
                    "deny",
                    "destroy",
                    "down",
                    "enroll",
                    "exec",
                    "extend",
                    "gateway",
                    "homes",
                    "list",
                    "metrics",
                    "new",
                    "policy",
                    "ports",
                    "run",
                    "secret",
                    "show",
                    "start",
                    "status",
                    "stop");

    private CommandsInProcess() {}

    /// Empty if the command needs a process.
    public static Optional<Command.Result> run(
            List<String> arguments, Map<String, String> environment, byte[] input, Path directory) {
        if (!Boolean.getBoolean(ALLOWED)
                || arguments.isEmpty()
                || !ASKING.contains(arguments.getFirst())
                || arguments.contains("--follow")
                || opensTheStore(arguments)
                || !answers(environment)) {
            return Optional.empty();
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Surroundings surroundings =
                new Surroundings(
                        Surroundings.callers(environment),
                        new ByteArrayInputStream(input),
                        new PrintStream(out, true, StandardCharsets.UTF_8),
                        new PrintStream(err, true, StandardCharsets.UTF_8),
                        new Terminal(false, false, false),
                        directory.toAbsolutePath());
        int exit = Commands.execute(surroundings, arguments.toArray(String[]::new));
        return Optional.of(
                new Command.Result(
                        arguments,
                        exit,
                        out.toString(StandardCharsets.UTF_8),
                        err.toString(StandardCharsets.UTF_8)));
    }

    /// It may be a database that only the machine of the test reaches.
    private static boolean opensTheStore(List<String> arguments) {
        return arguments.contains("audit") && arguments.contains("verify");
    }

    private static boolean answers(Map<String, String> environment) {
        Path home = Path.of(environment.getOrDefault("SALLYPORT_HOME", "/nonexistent"));
        try (ControlClient daemon = ControlClient.connect(new Home(home))) {
            daemon.status();
            return true;
        } catch (ControlException e) {
            return false;
        }
    }
}

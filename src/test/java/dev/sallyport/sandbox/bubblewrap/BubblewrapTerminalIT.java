package dev.sallyport.sandbox.bubblewrap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.Plans;
import dev.sallyport.sandbox.Installation;
import dev.sallyport.sandbox.Person;
import dev.sallyport.sandbox.SandboxBench;
import dev.sallyport.sandbox.ShellWords;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Commands with a terminal, driven through a real one. Runs as root here and as an ordinary user
/// in [BubblewrapAsOrdinaryUserIT].
class BubblewrapTerminalIT {
    private static final List<String> AWKWARD =
            List.of(
                    "",
                    "two words",
                    "it's",
                    "\"$HOME\" `id`",
                    "line\nbreak",
                    "\\",
                    "*",
                    "ü€😀",
                    "-n");

    @TempDir Path directory;
    private SandboxBench sandbox;

    @BeforeEach
    void create() throws Exception {
        Path workspace = Files.createDirectory(directory.toRealPath().resolve("work"));
        var installation = new Installation(Files.createDirectory(directory.resolve("home")));
        sandbox =
                SandboxBench.create(
                        new BubblewrapRuntime(installation, Person.current()),
                        installation,
                        workspace);
    }

    @AfterEach
    void destroy() throws Exception {
        tmux("kill-server").run();
        sandbox.close();
    }

    @Test
    void argumentsArriveExactlyWithAndWithoutATerminal() throws Exception {
        String[] command = new String[AWKWARD.size() + 5];
        List<String> start = List.of("bash", "-c", "printf '%s\\0' \"$@\" >\"$OUT\"", "x", "--");
        for (int i = 0; i < command.length; i++) {
            command[i] = i < 5 ? start.get(i) : AWKWARD.get(i - 5);
        }
        for (boolean tty : new boolean[] {false, true}) {
            Path out = sandbox.spec.workspace().resolve("out-" + tty);
            var plan = sandbox.plan(tty, Map.of("OUT", out.toString()), command);
            (tty ? inTerminal(Plans.argv(plan)) : Plans.command(plan)).run().ok();

            assertThat(Files.readString(out)).isEqualTo("--\0" + String.join("\0", AWKWARD) + "\0");
        }
    }

    @Test
    void theTerminalIsTheSandboxsOwn() throws Exception {
        var plan = sandbox.plan(true, Map.of(), "sh", "-c", "test -t 0 && tty && exit 5");
        Command.Result result = inTerminal(Plans.argv(plan)).run();

        assertThat(result.exit()).isEqualTo(5);
        // `script` passes the end of its input on, which the terminal may echo.
        assertThat(result.out().replaceAll("(\\^@)+\\s*$", "").strip()).endsWith("/dev/pts/0");
    }

    @Test
    void sizeInterruptAndResizeReachTheCommand() throws Exception {
        String script =
                """
                stty size
                trap 'echo interrupted' INT
                trap 'stty size' WINCH
                echo waiting
                i=0; while [ $i -lt 3000 ]; do sleep 0.1; i=$((i+1)); done
                """;
        var plan = sandbox.plan(true, Map.of(), "sh", "-c", script);
        tmux("new-session", "-d", "-x", "90", "-y", "30", ShellWords.quote(Plans.argv(plan)))
                .run()
                .ok();
        awaitScreen("30 90", "waiting");

        tmux("send-keys", "C-c").run().ok();
        awaitScreen("interrupted");
        tmux("resize-window", "-x", "77", "-y", "22").run().ok();
        awaitScreen("22 77");
        assertThat(sandbox.runtime.isAlive(sandbox.spec, sandbox.identity)).isTrue();
    }

    /// `script` gives the command a terminal although the test has none.
    private static Command inTerminal(List<String> argv) {
        return Command.of("script", "-qefc", "stty -onlcr; " + ShellWords.quote(argv), "/dev/null");
    }

    private Command tmux(String... arguments) {
        String[] argv = new String[arguments.length + 5];
        List<String> start = List.of("tmux", "-f", "/dev/null", "-S", "" + directory.resolve("t"));
        for (int i = 0; i < argv.length; i++) {
            argv[i] = i < 5 ? start.get(i) : arguments[i - 5];
        }
        return Command.of(argv);
    }

    private void awaitScreen(String... texts) {
        long deadline = System.nanoTime() + Duration.ofMinutes(1).toNanos();
        for (String text : texts) {
            String screen = tmux("capture-pane", "-p").run().out();
            while (!screen.contains(text)) {
                assertThat(System.nanoTime()).as(text + " in " + screen).isLessThan(deadline);
                screen = tmux("capture-pane", "-p").run().out();
            }
        }
    }
}

package dev.sallyport.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.control.Api;
import dev.sallyport.control.ControlException;
import dev.sallyport.fixture.Await;
import dev.sallyport.fixture.Processes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Commands in a sandbox whose output is kept.
class CapturedTest {
    private static final Duration MOST = Duration.ofMinutes(1);

    @TempDir Path directory;

    private static Api.ExecAnswer sh(String script, String... arguments) {
        List<String> argv = new ArrayList<>(List.of("/bin/sh", "-c", script, "sh"));
        argv.addAll(List.of(arguments));
        return new Api.ExecAnswer(argv, Map.of("PATH", "/usr/bin:/bin"), false, List.of());
    }

    @Test
    void aCommandRunsBeforeItsLineIsThereAndReadsIt() throws IOException, ControlException {
        Path started = directory.resolve("started");

        Captured.Outcome outcome =
                Captured.outcome(
                        sh(": > \"$1\"; IFS= read -r line; echo \"<$line>\"", started.toString()),
                        MOST,
                        () -> {
                            Await.until(() -> Files.exists(started));
                            return " a b ";
                        });

        assertThat(outcome).isEqualTo(new Captured.Outcome(0, "< a b >\n"));
    }

    @Test
    void aCommandThatEndsWithoutReadingSaysWhy() throws IOException, ControlException {
        Captured.Outcome outcome =
                Captured.outcome(
                        sh("echo no git; exec 0<&-; exit 3"), MOST, () -> "x".repeat(1 << 17));

        assertThat(outcome).isEqualTo(new Captured.Outcome(3, "no git\n"));
    }

    @Test
    void aCommandEndsWhenItsLineCannotBeMade() {
        Path started = directory.resolve("started");
        Captured.Line none =
                () -> {
                    Await.until(() -> Files.exists(started));
                    throw new ControlException(
                            409, new Api.Problem("gone", "It is gone.", "Start it."));
                };
        Api.ExecAnswer plan =
                sh("echo $$ > \"$1.new\"; mv \"$1.new\" \"$1\"; read -r line", started.toString());

        assertThatThrownBy(() -> Captured.outcome(plan, MOST, none))
                .isInstanceOf(ControlException.class);

        Await.until(() -> Processes.hasEnded(process(started)));
        assertThat(Processes.hasEnded(process(started))).isTrue();
    }

    private static long process(Path file) {
        try {
            return Long.parseLong(Files.readString(file).strip());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}

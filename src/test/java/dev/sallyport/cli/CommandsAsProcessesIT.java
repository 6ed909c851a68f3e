package dev.sallyport.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.Installation;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CommandsAsProcessesIT {
    /// What other tests run in their own JVM works in a process of its own, from the jar.
    @Test
    void eachCommandThatTestsRunInTheirJvmIsAProgramToo(@TempDir Path directory) {
        List<String> lines =
                List.of(
                        "new --name each --runtime bubblewrap --no-repo",
                        "allow each api.example.com",
                        "approvals",
                        "approve none",
                        "audit show",
                        "audit report each",
                        "audit export --format otlp",
                        "denials each",
                        "deny none",
                        "extend each",
                        "exec each -- true",
                        "gateway",
                        "homes",
                        "list",
                        "metrics",
                        "policy check",
                        "ports each",
                        "run --runtime bubblewrap --no-repo -- true",
                        "secret list",
                        "show each",
                        "status",
                        "stop each",
                        "start each",
                        "destroy each",
                        "enroll none",
                        "down");
        assertThat(lines.stream().map(line -> line.split(" ", 2)[0]))
                .containsAll(CommandsInProcess.ASKING);
        try (Installation installation =
                Installation.bare(directory.resolve("i")).onlyProcesses()) {
            for (String line : lines) {
                Command.Result result = installation.sallyport(line.split(" ")).run();
                boolean isWrong = line.endsWith(" none");
                assertThat(result.exit() != 0).as(line + "\n" + result.all()).isEqualTo(isWrong);
                assertThat(result.err()).as(line).doesNotContain("Exception", "Error:");
                assertThat(result.err().startsWith("sallyport: ")).as(line).isEqualTo(isWrong);
            }
        }
    }
}

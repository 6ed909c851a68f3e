package dev.sallyport.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.fixture.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The first thing that a newcomer sees.
class DemoIT {
    private static final String LAUNCHER = Path.of("sallyport").toAbsolutePath().toString();
    private static final String ACCOUNT = "sallyport-demo-it";

    @Test
    void everyClaimHoldsForRoot() throws IOException {
        Set<String> before = leftovers();
        Command.Result result =
                Command.of(LAUNCHER, "demo", "--json").within(Duration.ofMinutes(5)).run();

        JsonNode outcome = new ObjectMapper().readTree(result.out());
        assertThat(result.exit()).as(result.all()).isZero();
        assertThat(outcome.path("holds").asBoolean()).isTrue();
        assertThat(outcome.path("claims")).hasSizeGreaterThanOrEqualTo(12);
        assertThat(result.err()).isEmpty();
        assertThat(leftovers()).isEqualTo(before);
    }

    @Test
    void everyClaimHoldsForAnOrdinaryUser() throws IOException {
        Command.of("useradd", "-m", ACCOUNT).run().ok();
        try {
            Set<String> before = leftovers();
            Command.Result result =
                    Command.of("su", "-", ACCOUNT, "-c", LAUNCHER + " demo")
                            .within(Duration.ofMinutes(5))
                            .run();
            assertThat(result.exit()).as(result.all()).isZero();
            assertThat(result.out()).contains("✓").doesNotContain("✗");
            assertThat(leftovers()).isEqualTo(before);
        } finally {
            Command.of("userdel", "-r", ACCOUNT).run();
        }
    }

    @Test
    void anInterruptedDemoLeavesNothing() throws Exception {
        Set<String> before = leftovers();
        Process demo = Command.of("env", "--default-signal=INT", LAUNCHER, "demo").start();
        try (var progress = demo.errorReader()) {
            String line = progress.readLine();
            while (line != null && !line.contains("tried:")) {
                line = progress.readLine();
            }
            assertThat(line).as("the demo got as far as its first claim").isNotNull();
            Command.of("kill", "-s", "INT", Long.toString(demo.pid())).run().ok();
            assertThat(demo.waitFor(90, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(demo.exitValue()).isEqualTo(130);
        assertThat(leftovers()).isEqualTo(before);
    }

    /// Directories and processes that a demo makes.
    private static Set<String> leftovers() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("/tmp"))) {
            Set<String> found =
                    files.map(Path::toString)
                            .filter(path -> path.startsWith("/tmp/sp-demo-"))
                            .collect(Collectors.toSet());
            ProcessHandle.allProcesses()
                    .filter(
                            process ->
                                    process.info()
                                            .commandLine()
                                            .orElse("")
                                            .contains("/tmp/sp-demo-"))
                    .forEach(process -> found.add("process " + process.pid()));
            return found;
        }
    }
}

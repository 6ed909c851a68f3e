package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.Installation;
import dev.sallyport.fixture.PrivateDocker;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// `verify` on real sandboxes: it holds for one that is as it should be, and fails loudly when
/// somebody on the host has opened a way.
class VerifyIT {
    private static final int PORT = 8080;

    @TempDir Path directory;

    private static JsonNode verify(Installation installation, int status) throws IOException {
        Command.Result result = installation.sallyport("verify", "work", "--json").run();
        assertThat(result.exit()).as(result.all()).isEqualTo(status);
        JsonNode table = new ObjectMapper().readTree(result.out());
        assertThat(table.path("holds").asBoolean()).isEqualTo(status == 0);
        return table.path("rows");
    }

    private static List<String> probes(JsonNode rows, String outcome) {
        return StreamSupport.stream(rows.spliterator(), false)
                .filter(row -> row.path("outcome").asText().equals(outcome))
                .map(row -> row.path("probe").asText())
                .toList();
    }

    private static String pid(Installation installation) throws IOException {
        String shown = installation.sallyport("show", "work", "--json").run().ok();
        return new ObjectMapper().readTree(shown).path("identity").path("pid").asText();
    }

    private static Command inNetworkOf(String pid, String... command) {
        List<String> argv = new ArrayList<>(List.of("nsenter", "-t", pid, "-n", "--"));
        argv.addAll(List.of(command));
        return Command.of(argv);
    }

    private void proveAndBreak(Installation installation, String runtime) throws IOException {
        installation
                .sallyport(
                        "new",
                        "--name",
                        "work",
                        "--runtime",
                        runtime,
                        "--no-repo",
                        "--allow",
                        "api.example.com")
                .run()
                .ok();
        JsonNode rows = verify(installation, 0);
        assertThat(probes(rows, "FAIL")).isEmpty();
        assertThat(probes(rows, "NOT_PROBED")).isEmpty();
        assertThat(probes(rows, "PASS")).contains("resolve api.example.com (allowed)");

        String pid = pid(installation);
        inNetworkOf(pid, "ip", "link", "add", "extra0", "type", "bridge").run().ok();
        assertThat(probes(verify(installation, 1), "FAIL"))
                .containsExactly(
                        "network interfaces, from outside", "network interfaces, from inside");
        inNetworkOf(pid, "ip", "link", "del", "extra0").run().ok();

        assertAListenerFromOutsideIsSeen(installation, pid);
        assertThat(probes(verify(installation, 0), "FAIL")).isEmpty();
    }

    private static void assertAListenerFromOutsideIsSeen(Installation installation, String pid)
            throws IOException {
        String listen =
                "use IO::Socket::INET; my $s = IO::Socket::INET->new(LocalAddr => '127.0.0.1',"
                        + " LocalPort => "
                        + PORT
                        + ", Listen => 1) or die; $| = 1; print \"up\\n\"; <STDIN>";
        Process listener = inNetworkOf(pid, "perl", "-e", listen).start();
        try {
            assertThat(listener.inputReader().readLine()).isEqualTo("up");
            assertThat(probes(verify(installation, 1), "FAIL"))
                    .containsExactly("other sockets that wait");
        } finally {
            listener.destroyForcibly().onExit().join();
        }
    }

    @Test
    void holdsForBubblewrapUntilSomebodyOpensAWay() throws IOException {
        try (Installation installation = Installation.bare(directory.resolve("i"))) {
            proveAndBreak(installation, "bubblewrap");
            installation.sallyport("destroy", "work").run().ok();
            assertThat(installation.sallyport("verify", "work").run().exit()).isEqualTo(66);
        }
    }

    @Test
    void holdsForDockerUntilSomebodyOpensAWay() throws IOException {
        try (PrivateDocker docker = PrivateDocker.start();
                Installation installation =
                        Installation.bare(
                                directory.resolve("d"), Map.of("DOCKER_HOST", docker.host()))) {
            proveAndBreak(installation, "docker");
            installation.sallyport("destroy", "work").run().ok();
        }
    }

    @Test
    void doctorChecksThisHostAndStartsNothing() throws IOException {
        try (Installation installation = Installation.bare(directory.resolve("i"))) {
            Command.Result result = installation.sallyport("doctor", "--json").run();
            JsonNode answer = new ObjectMapper().readTree(result.out());
            assertThat(result.exit())
                    .as(result.all())
                    .isEqualTo(answer.path("healthy").asBoolean() ? 0 : 1);
            assertThat(answer.path("findings").size()).isGreaterThan(15);
            assertThat(installation.home()).isEmptyDirectory();
            assertThat(installation.sallyport("status").run().exit()).isEqualTo(69);
        }
    }
}

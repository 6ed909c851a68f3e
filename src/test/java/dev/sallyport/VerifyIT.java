package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.fixture.Await;
import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.Installation;
import dev.sallyport.fixture.PrivateDocker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// `verify` on real sandboxes: it holds for one that is as it should be, and fails loudly when
/// somebody on the host has opened a way.
class VerifyIT {
    private static final int PORT = 8080;
    private static final String SECRET = "verify-it-value-of-a-secret-0042";

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

    private void proveAndBreak(Installation installation, String runtime) throws Exception {
        installation.policy(
                """
                egress:
                  - host: api.example.com
                    inject: {secret: api, header: x-api-key}
                """);
        installation
                .sallyport("secret", "set", "api", "--host", "api.example.com")
                .input(SECRET + "\n")
                .run()
                .ok();
        installation
                .sallyport("new", "--name", "work", "--runtime", runtime, "--no-repo")
                .run()
                .ok();
        String own = "open my $r, '>', 'own' or die";
        try (var _ = inside(installation, "own", listenOn(installation, "own.sock", own))) {
            JsonNode rows = verify(installation, 0);
            assertThat(probes(rows, "FAIL")).isEmpty();
            assertThat(probes(rows, "NOT_PROBED")).isEmpty();
            assertThat(probes(rows, "PASS"))
                    .contains(
                            "resolve api.example.com (allowed)",
                            "system call filter, from outside",
                            "AF_VSOCK and AF_ALG sockets",
                            "io_uring",
                            "a namespace with rights of its own");
        }

        String pid = pid(installation);
        inNetworkOf(pid, "ip", "link", "add", "extra0", "type", "bridge").run().ok();
        assertThat(probes(verify(installation, 1), "FAIL"))
                .containsExactly(
                        "network interfaces, from outside", "network interfaces, from inside");
        inNetworkOf(pid, "ip", "link", "del", "extra0").run().ok();

        assertWhatLeadsOutsideIsSeen(installation, pid);
        assertThat(probes(verify(installation, 0), "FAIL")).isEmpty();
    }

    /// I7: listeners of the host's in the sandbox's network and in its files, and a secret in an
    /// environment inside.
    private static void assertWhatLeadsOutsideIsSeen(Installation installation, String pid)
            throws Exception {
        String listen =
                "use IO::Socket::INET; use IO::Socket::UNIX; my $s = IO::Socket::INET->new("
                        + "LocalAddr => '127.0.0.1', LocalPort => "
                        + PORT
                        + ", Listen => 1) or die; my $u = IO::Socket::UNIX->new(Local =>"
                        + " \"\\0sallyport-test\", Listen => 1) or die; $| = 1; print \"up\\n\"; <STDIN>";
        String script = listenOn(installation, "host.sock", "print \"up\\n\"");
        String leak = "$ENV{LEAK} = '" + SECRET + "'; exec 'sh', '-c', ': > leak; exec cat'";
        Process network = inNetworkOf(pid, "perl", "-e", listen).start();
        Process host = Command.of("perl", "-e", script).start();
        try (var _ = inside(installation, "leak", leak)) {
            assertThat(network.inputReader().readLine()).isEqualTo("up");
            assertThat(host.inputReader().readLine()).isEqualTo("up");
            JsonNode rows = verify(installation, 1);
            assertThat(probes(rows, "FAIL"))
                    .containsExactly(
                            "other listening sockets",
                            "Unix sockets in its network",
                            "Unix sockets in its files",
                            "values of the 1 secrets that it may use");
            assertThat(rows.toString()).contains("host.sock", "/environ").doesNotContain(SECRET);
        } finally {
            network.destroyForcibly().onExit().join();
            host.destroyForcibly().onExit().join();
            Files.delete(installation.workspace().resolve("host.sock"));
        }
    }

    /// A Perl program that makes a socket in the workspace, makes that known, and keeps it until
    /// its input ends.
    private static String listenOn(Installation installation, String name, String known) {
        return "use IO::Socket::UNIX; my $u = IO::Socket::UNIX->new(Local => '"
                + installation.workspace().resolve(name)
                + "', Listen => 1) or die; $| = 1; "
                + known
                + "; <STDIN>; unlink '"
                + installation.workspace().resolve(name)
                + "'";
    }

    /// A Perl program in the sandbox, until it is closed, which ends its input.
    private record Inside(Process process, Path ready) implements AutoCloseable {
        @Override
        public void close() throws IOException {
            process.getOutputStream().close();
            process.onExit().orTimeout(60, TimeUnit.SECONDS).join();
            Files.delete(ready);
        }
    }

    /// @param marker a file that the program makes when it is ready
    private static Inside inside(Installation installation, String marker, String script) {
        Path ready = installation.workspace().resolve(marker);
        Process process =
                installation.sallyport("exec", "work", "--", "perl", "-e", script).start();
        Await.until(() -> Files.exists(ready));
        return new Inside(process, ready);
    }

    @Test
    void holdsForBubblewrapUntilSomebodyOpensAWay() throws Exception {
        try (Installation installation = Installation.bare(directory.resolve("i"))) {
            proveAndBreak(installation, "bubblewrap");
            Process kept =
                    Command.of("nsenter", "-t", pid(installation), "-m", "-n", "--", "cat").start();
            try {
                installation.sallyport("destroy", "work").run().ok();
                assertThat(installation.sallyport("doctor", "--json").run().out())
                        .contains("leftovers: namespace");
            } finally {
                kept.destroyForcibly().onExit().join();
            }
            assertThat(installation.sallyport("doctor", "--json").run().out())
                    .doesNotContain("leftovers: namespace", "leftovers: gateway");
            assertThat(installation.sallyport("verify", "work").run().exit()).isEqualTo(66);
        }
    }

    @Test
    void holdsForDockerUntilSomebodyOpensAWay() throws Exception {
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

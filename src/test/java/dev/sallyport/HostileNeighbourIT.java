package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.fixture.Await;
import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.GitServer;
import dev.sallyport.fixture.Installation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// P10: one sandbox misbehaves; another one's requests are answered as if it did not.
class HostileNeighbourIT {
    private static final int REQUESTS = 200;
    private static final long MEMORY_GROWTH_BYTES_MAX = 96L << 20;

    /// Each attack opens up to ten thousand connections in total and ends with the test, or by
    /// itself after five minutes.
    private static final String ATTACK =
            """
            use Socket; $SIG{PIPE} = 'IGNORE'; $SIG{ALRM} = sub { exit 0 }; alarm 300;
            my ($mode) = @ARGV; my @open; my $to = sockaddr_in(80, inet_aton('127.0.0.1'));
            for my $i (1 .. 10000) {
              socket(my $s, PF_INET, SOCK_STREAM | 2048, 0) or do { splice(@open, 0, 500); redo };
              connect($s, $to);
              push @open, $s;
              if ($i == 500) { open(my $told, '>', "attacking-$mode") }
              if ($mode eq 'dribble') { syswrite($s, 'G') }
              if ($mode eq 'body') { syswrite($s, "POST /git/h.example/a/b.git/git-upload-pack HTTP/1.1\\r\\nHost: gateway.sallyport\\r\\nContent-Type: application/x-git-upload-pack-request\\r\\nContent-Length: 100000\\r\\n\\r\\n0") }
              if ($mode eq 'pipeline') { syswrite($s, "GET /policy HTTP/1.1\\r\\nHost: gateway.sallyport\\r\\n\\r\\n" x 200) }
            }
            while (1) { for my $s (@open) { syswrite($s, 'x') if $mode eq 'dribble' or $mode eq 'body' } sleep 1 }
            """;

    private static Path root;
    private static GitServer server;
    private static Installation sallyport;

    @BeforeAll
    static void start() throws IOException {
        root = Files.createTempDirectory("sp-flood");
        server = GitServer.start(Files.createDirectory(root.resolve("server")));
        server.repository("acme", "app");
        sallyport = Installation.with(root.resolve("i"), server);
        Files.writeString(sallyport.workspace().resolve("attack.pl"), ATTACK);
        for (String name : List.of("hostile", "bystander")) {
            sallyport
                    .sallyport(
                            "new",
                            "--name",
                            name,
                            "--runtime",
                            "bubblewrap",
                            "--repo",
                            GitServer.HOST + "/acme/app")
                    .run()
                    .ok();
        }
    }

    @AfterAll
    static void stop() {
        sallyport.close();
        server.close();
        Command.of("rm", "-rf", root.toString()).run().ok();
    }

    @ParameterizedTest
    @ValueSource(strings = {"connect", "dribble", "body", "pipeline"})
    void P10_bystanderIsServedWhileItsNeighbourAttacks(String mode) throws Exception {
        long before = gatewayMemory();
        Process attack =
                sallyport.sallyport("exec", "hostile", "--", "perl", "attack.pl", mode).start();
        Await.until(() -> Files.exists(sallyport.workspace().resolve("attacking-" + mode)));
        String times =
                sallyport
                        .sallyport(
                                "exec",
                                "bystander",
                                "--",
                                "bash",
                                "-c",
                                // What is behind the # tells curl that they are many, and is not
                                // sent.
                                "curl -s -m 60 --rate 50/s -H 'Connection: close' -o /dev/null -w '%{http_code} %{num_connects}\\n' 'http://gateway.sallyport/healthz#[1-"
                                        + REQUESTS
                                        + "]';"
                                        + " cd $(mktemp -d) && git clone -q https://"
                                        + GitServer.HOST
                                        + "/acme/app . && echo cloned")
                        .within(Duration.ofMinutes(5))
                        .run()
                        .ok();
        long during = gatewayMemory();
        boolean overlapped = attack.isAlive();
        attack.destroy();
        attack.waitFor();

        long good = times.lines().filter(line -> line.equals("200 1")).count();
        assertThat(overlapped)
                .as("the attack was still running when the bystander had finished")
                .isTrue();
        assertThat(good).isEqualTo(REQUESTS);
        assertThat(times).endsWith("cloned");
        assertThat(during - before)
                .as("growth of the gateway's resident memory")
                .isLessThan(MEMORY_GROWTH_BYTES_MAX);
    }

    private static long gatewayMemory() throws IOException {
        String status = sallyport.sallyport("status", "--json").run().ok();
        long pid = new ObjectMapper().readTree(status).get("gatewayPid").asLong();
        return Files.readAllLines(Path.of("/proc/" + pid + "/status")).stream()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024)
                .findFirst()
                .orElseThrow();
    }
}

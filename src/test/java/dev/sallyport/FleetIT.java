package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;

import com.exceptionfactory.jagged.x25519.X25519KeyPairGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.fixture.Await;
import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.Installation;
import dev.sallyport.fixture.Machine;
import dev.sallyport.fixture.PostgresServer;
import dev.sallyport.fixture.Processes;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// Four machines: two gateways with one store, the database of that store, and sandboxes.
class FleetIT {
    private static final String HOST = "git.test.example";
    private static final ObjectMapper JSON = new ObjectMapper();

    /// Whoever serves it shows a certificate for this host, and records that it denied the request.
    private static final String REQUEST =
            "curl -s -m 60 -o /dev/null -w '%{http_code}' https://" + HOST + "/not/this";

    private static Path root;
    private static List<Machine> machines;
    private static PostgresServer database;
    private static byte[] key;
    private static Installation first;
    private static Installation second;
    private static Installation here;

    @BeforeAll
    static void startEverything() throws Exception {
        root = Files.createTempDirectory("sp-fleet");
        machines = Machine.several(4);
        database = PostgresServer.start(root, machines.getFirst());
        key = new X25519KeyPairGenerator().generateKeyPair().getPrivate().getEncoded();
        first = gateway("a", machines.get(1));
        second = gateway("b", machines.get(2));
        here = Installation.bare(root.resolve("h")).on(machines.get(3));
    }

    @AfterAll
    static void stopEverything() throws IOException {
        here.close();
        first.close();
        second.close();
        database.close();
        machines.reversed().forEach(Machine::close);
        Command.of("rm", "-rf", root.toString()).run().ok();
    }

    private static Installation gateway(String name, Machine machine) throws IOException {
        Installation made = Installation.bare(root.resolve(name)).on(machine);
        Path file =
                Files.writeString(
                        made.home().resolve("age.txt"), new String(key, StandardCharsets.US_ASCII));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        Files.write(made.home().resolve("db-ca.pem"), Files.readAllBytes(database.ca()));
        policy(made, "secrets: {key-file: age.txt}\n");
        return made;
    }

    private static void policy(Installation of, String more) {
        of.policy(
                """
                hosts:
                  - {name: %s, kind: plain, dial: "192.0.2.1:9"}
                store:
                  url: "postgresql://%s@192.0.2.1:%d/postgres"
                  password-file: "%s"
                  ca-file: db-ca.pem
                %s"""
                        .formatted(
                                HOST,
                                PostgresServer.USER,
                                database.port(),
                                database.passwordFile(),
                                more));
    }

    private static void listen(Installation gateway, Machine machine) {
        gateway.sallyport("gateway", "--listen", machine.address() + ":8443").run().ok();
    }

    private static Command.Result inside() {
        return here.sallyport("exec", "work", "--", "sh", "-c", REQUEST).run();
    }

    /// The requests that a gateway has decided.
    private static List<String> recorded(Installation at) throws IOException {
        Path log = at.home().resolve("audit/audit.jsonl");
        try (Stream<String> lines = Files.lines(log)) {
            return lines.filter(line -> line.contains("/not/this")).toList();
        }
    }

    /// Waits until requests are answered, and requires that this gateway answers them and the other
    /// one does not.
    private static void requireServedBy(Installation one, Installation not) throws Exception {
        Await.until("it is served", () -> !inside().out().equals("000"));
        int before = recorded(one).size();
        int others = recorded(not).size();
        assertThat(inside().out()).isNotEqualTo("000");
        assertThat(recorded(one).size()).as("recorded there").isGreaterThan(before);
        assertThat(recorded(not)).as("recorded by the other one").hasSize(others);
    }

    private static String listed(Installation at) {
        return at.sallyport("list").run().ok();
    }

    private static void kill(Installation gateway) throws IOException {
        JsonNode status = JSON.readTree(gateway.sallyport("status", "--json").run().ok());
        long warden = status.path("wardenPid").asLong();
        List<ProcessHandle> all =
                new ArrayList<>(ProcessHandle.of(warden).orElseThrow().descendants().toList());
        Processes.kill(warden);
        all.stream().map(ProcessHandle::pid).forEach(Processes::kill);
    }

    @Test
    void aSessionMovesBetweenGatewaysAndEndsAtAllOfThem() throws Exception {
        requireNoPortWithoutAKey();
        listen(first, machines.get(1));
        listen(second, machines.get(2));
        String code = first.sallyport("gateway", "code", "box").run().ok();
        here.sallyport("enroll", "-").input(code).run().ok();
        here.sallyport(
                        "new",
                        "--name",
                        "work",
                        "--gateway",
                        "gateway",
                        "--runtime",
                        "bubblewrap",
                        "--repo",
                        HOST + "/acme/app")
                .run()
                .ok();
        requireServedBy(first, second);
        assertThat(first.has("box.work")).isTrue();
        assertThat(second.has("box.work")).isFalse();
        String address = machines.get(1).address() + ":8443";
        assertThat(listed(second)).containsPattern("box\\.work .* " + address);
        assertThat(second.sallyport("stop", "box.work").run().err()).contains(address);
        assertThat(second.sallyport("gateway").run().ok()).contains("box");

        killedGatewayIsReplaced();
        drainedGatewayIsReplacedAtOnce();
        removedHostIsRefusedEverywhere();
    }

    private static void requireNoPortWithoutAKey() {
        policy(first, "");
        Command.Result refused = first.sallyport("gateway", "--listen", ":8443").run();
        assertThat(refused.exit()).isNotZero();
        assertThat(refused.err()).contains("Configure a key");
        first.sallyport("down").run().ok();
        policy(first, "secrets: {key-file: age.txt}\n");
    }

    private static void killedGatewayIsReplaced() throws Exception {
        kill(first);
        assertThat(database.askThere("SELECT count(*) FROM session_lease WHERE until > now()"))
                .as("control: the lease of the one that was killed is good")
                .isEqualTo("1");
        // As time would do.
        database.askThere("UPDATE session_lease SET until = now() - interval '1 second'");
        requireServedBy(second, first);
        assertThat(second.has("box.work")).isTrue();
        assertThat(first.has("box.work")).as("it is back").isFalse();
        requireServedBy(second, first);
    }

    private static void drainedGatewayIsReplacedAtOnce() throws Exception {
        String epoch = database.askThere("SELECT epoch FROM session_lease");
        second.sallyport("gateway", "--close").run().ok();
        assertThat(
                        database.askThere(
                                "SELECT count(*) FROM session_lease WHERE until > now() AND epoch = "
                                        + epoch))
                .as("it has given its lease back")
                .isEqualTo("0");
        requireServedBy(first, second);
        assertThat(database.askThere("SELECT epoch FROM session_lease")).isNotEqualTo(epoch);
        listen(second, machines.get(2));
    }

    private static void removedHostIsRefusedEverywhere() throws Exception {
        assertThat(first.has("box.work")).as("control").isTrue();
        second.sallyport("gateway", "remove", "box").run().ok();
        Await.until("its session has ended", () -> !listed(first).contains("box.work"));
        assertThat(database.askThere("SELECT count(*) FROM session")).isEqualTo("0");
        int before = recorded(first).size() + recorded(second).size();
        assertThat(inside().out()).isEqualTo("000");
        assertThat(recorded(first).size() + recorded(second).size()).isEqualTo(before);
        Command.Result refused =
                here.sallyport("new", "--name", "more", "--gateway", "gateway", "--no-repo").run();
        assertThat(refused.exit()).isNotZero();
        assertThat(refused.err()).contains("does not answer");
        assertThat(database.askThere("SELECT count(*) FROM session")).isEqualTo("0");
        first.sallyport("audit", "verify").run().ok();
        second.sallyport("audit", "verify").run().ok();
    }
}

package dev.sallyport.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.config.Ownership;
import dev.sallyport.fixture.AgeKeys;
import dev.sallyport.fixture.Installation;
import dev.sallyport.fixture.Machine;
import dev.sallyport.fixture.PostgresServer;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Seven machines: a web server, a database and its standby, two gateways that share it, and two
/// with a sandbox each. Each gateway has one of the sandboxes at first.
final class DrillFleet {
    private static final int MACHINES = 7;
    private static final String PORT = ":8443";
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Run run;
    private final List<Machine> machines;
    private final Arrivals upstream;
    private final PostgresServer primary;
    private final PostgresServer standby;
    private final List<Gateway> gateways = new ArrayList<>();
    private final List<DrillAsker> askers = new ArrayList<>();

    /// One of the two.
    record Gateway(String name, Machine machine, Installation installation) {
        void listen() {
            installation.sallyport("gateway", "--listen", machine.address() + PORT).run().ok();
        }
    }

    /// Starts all of it.
    DrillFleet(Run run) throws Exception {
        this.run = run;
        this.machines = Machine.several(MACHINES);
        machines.forEach(run::using);
        this.upstream = run.using(Arrivals.start(run.directory("web"), machines.get(0)));
        Path store = run.directory("store");
        this.primary = run.using(PostgresServer.start(store, machines.get(1), machines.get(2)));
        this.standby = run.using(primary.standby(machines.get(2)));
        Path key = run.root().resolve("age.txt");
        AgeKeys.create(key);
        gateways.add(gateway("a", machines.get(3), key));
        gateways.add(gateway("b", machines.get(4), key));
        gateways.forEach(Gateway::listen);
        askers.add(asker("one", machines.get(5), gateways.getFirst()));
        askers.add(asker("two", machines.get(6), gateways.getLast()));
    }

    private Gateway gateway(String name, Machine machine, Path key) throws IOException {
        Installation made = run.using(Installation.bare(run.root().resolve(name)).on(machine));
        Path ownKey = made.home().resolve("age.txt");
        Ownership.createPrivateFile(ownKey);
        Files.write(ownKey, Files.readAllBytes(key));
        Files.write(made.home().resolve("db-ca.pem"), Files.readAllBytes(primary.ca()));
        Files.write(made.home().resolve("web-ca.pem"), Files.readAllBytes(upstream.caFile()));
        made.policy(
                """
                egress:
                  - host: %s
                    methods: [GET]
                    paths: ["%s*"]
                    dial: "%s"
                    ca-file: web-ca.pem
                store:
                  url: "postgresql://%s@%s/postgres"
                  password-file: "%s"
                  ca-file: db-ca.pem
                secrets: {key-file: age.txt}
                """
                        .formatted(
                                Arrivals.HOST,
                                Arrivals.PATH,
                                upstream.dial(),
                                PostgresServer.USER,
                                databases(),
                                primary.passwordFile()));
        return new Gateway(name, machine, made);
    }

    private String databases() {
        String port = ":" + primary.port();
        return machines.get(1).address() + port + "," + machines.get(2).address() + port;
    }

    private DrillAsker asker(String name, Machine machine, Gateway gateway) {
        Installation made = run.using(Installation.bare(run.root().resolve(name)).on(machine));
        String code = gateway.installation().sallyport("gateway", "code", name).run().ok();
        made.sallyport("enroll", "-").input(code).run().ok();
        made.sallyport(
                        "new",
                        "--name",
                        DrillAsker.SANDBOX,
                        "--gateway",
                        "gateway",
                        "--runtime",
                        "bubblewrap",
                        "--no-repo")
                .run()
                .ok();
        return new DrillAsker(name, made);
    }

    List<Gateway> gateways() {
        return List.copyOf(gateways);
    }

    List<DrillAsker> askers() {
        return List.copyOf(askers);
    }

    PostgresServer primary() {
        return primary;
    }

    PostgresServer standby() {
        return standby;
    }

    Arrivals upstream() {
        return upstream;
    }

    /// Cuts the database off, ends it, and lets its standby take over.
    void failOver() throws IOException {
        machines.get(1).cut();
        standby.promote();
        primary.down();
    }

    /// The gateway that sent the newest request of this one upstream.
    Optional<Gateway> serving(DrillAsker asker) throws IOException {
        return upstream.all().reversed().stream()
                .filter(one -> one.number().startsWith(asker.prefix()))
                .findFirst()
                .flatMap(one -> at(one.from()));
    }

    private Optional<Gateway> at(String address) {
        return gateways.stream().filter(one -> one.machine().address().equals(address)).findFirst();
    }

    /// The ids of all sessions in this database.
    static String sessions(PostgresServer of) throws IOException {
        return of.askThere("SELECT string_agg(id, ' ' ORDER BY id) FROM session");
    }

    /// What the gateways have allowed, by their own logs.
    List<DrillVerdict.Recorded> recorded() throws IOException {
        List<DrillVerdict.Recorded> all = new ArrayList<>();
        for (Gateway gateway : gateways) {
            Path directory = gateway.installation().home().resolve("audit");
            try (DirectoryStream<Path> logs = Files.newDirectoryStream(directory, "audit*.jsonl")) {
                for (Path log : logs) {
                    for (String line : Files.readAllLines(log)) {
                        recorded(gateway, JSON.readTree(line)).ifPresent(all::add);
                    }
                }
            }
        }
        return all;
    }

    private static Optional<DrillVerdict.Recorded> recorded(Gateway gateway, JsonNode line) {
        String path = line.path("detail").path("path").asText();
        boolean allows =
                line.path("kind").asText().equals("egress.request")
                        && line.path("decision").asText().equals("allow")
                        && path.startsWith(Arrivals.PATH);
        return allows
                ? Optional.of(
                        new DrillVerdict.Recorded(
                                Arrivals.number(path),
                                gateway.machine().address(),
                                Instant.parse(line.path("time").asText())))
                : Optional.empty();
    }
}

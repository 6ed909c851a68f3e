package dev.sallyport.bench;

import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.GitServer;
import dev.sallyport.fixture.Installation;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/// What a bystander notices of its neighbours' attacks: small GETs whose TLS ends at the gateway,
/// each on a connection of its own, and small pushes, before and during each attack. The same GETs
/// without a gateway say how much of it is the machine's.
public final class FairnessBench {
    private static final String API = "api.test.example";
    private static final String BULK = "bulk.test.example";
    private static final int GETS = 100;
    private static final int PUSHES = 15;
    private static final int GREEDY = 32;
    private static final int LARGE_COMMITS = 2_000;
    private static final int LARGE_FILE_BYTES = 100_000;
    private static final Duration ATTACK_BEGINS = Duration.ofSeconds(10);

    private static final String DOWNLOADS =
            "for i in $(seq 30); do (while :; do curl -s -o /dev/null https://%s/bulk; done) & done; wait"
                    .formatted(BULK);
    private static final String HELD =
            "for i in $(seq 40); do curl -s -o /dev/null --limit-rate 2k https://%s/bulk & done; wait"
                    .formatted(BULK);
    private static final String SLOW_HEADS =
            "while :; do for i in $(seq 128); do (exec 3<>/dev/tcp/127.0.0.1/80 && printf 'GET / HTTP/1.1\\r\\nHost: l' >&3 && sleep 8) & done; wait; done";
    private static final String PUSH_LOOP =
            "cd large && while :; do git push -q https://%s/acme/large main:refs/heads/agent/$RANDOM; done"
                    .formatted(GitServer.HOST);
    private static final String SMALL_PUSHES =
            "cd small && for i in $(seq %d); do git commit -q --allow-empty -m $i; s=$(date +%%s%%N); git push -q https://%s/acme/small HEAD:refs/heads/agent/b || exit 1; e=$(date +%%s%%N); echo 200 $(( (e - s) / 1000 ))e-6; done"
                    .formatted(PUSHES, GitServer.HOST);

    private final Path root;
    private final GitServer server;
    private final Daemons api;
    private final Daemons bulk;
    private final int apiPort = Daemons.freePort();
    private final int bulkPort = Daemons.freePort();
    private final Installation sallyport;

    private FairnessBench(Path root) throws IOException {
        this.root = root;
        this.server = GitServer.start(Files.createDirectory(root.resolve("server")));
        this.api = new Daemons(Files.createDirectory(root.resolve("api")));
        this.bulk = new Daemons(Files.createDirectory(root.resolve("bulk")));
        this.sallyport = Installation.with(root.resolve("i"), server);
    }

    public static void main(String[] args) throws IOException {
        Path root = Files.createTempDirectory("sp-bench");
        FairnessBench bench = new FairnessBench(root);
        try {
            bench.start();
            bench.run();
        } finally {
            bench.sallyport.close();
            bench.api.close();
            bench.bulk.close();
            bench.server.close();
            Command.of("rm", "-rf", root.toString()).run();
        }
    }

    private void start() throws IOException {
        Path items = Files.createDirectory(root.resolve("api/files"));
        Files.write(items.resolve("item"), new byte[1_024]);
        api.startOrigin(API, apiPort);
        Path large = Files.createDirectory(root.resolve("bulk/files")).resolve("bulk");
        try (RandomAccessFile file = new RandomAccessFile(large.toFile(), "rw")) {
            file.setLength(BulkServer.BYTES);
        }
        bulk.startOrigin(BULK, bulkPort);
        Files.copy(api.caFile(), sallyport.home().resolve("api.pem"));
        Files.copy(bulk.caFile(), sallyport.home().resolve("bulk.pem"));
        Path policy = sallyport.home().resolve("policy.yaml");
        sallyport.policy(
                Files.readString(policy)
                        + rule(API, "item", apiPort, "api.pem")
                        + rule(BULK, "bulk", bulkPort, "bulk.pem").replace("egress:\n", ""));
        // The daemon that took the secret began without these rules.
        sallyport.sallyport("down").run().ok();
        server.repository("acme", "small");
        server.repository("acme", "large");
        makeSandboxes();
        makeRepositories();
    }

    private static String rule(String host, String path, int port, String ca) {
        return """
               egress:
                 - host: %s
                   methods: [GET]
                   paths: ["/%s"]
                   dial: "127.0.0.1:%d"
                   ca-file: %s
               """
                .formatted(host, path, port, ca);
    }

    private void makeSandboxes() {
        make("bystander");
        for (int i = 0; i < GREEDY; i++) {
            make("hostile" + i);
        }
    }

    private void make(String name) {
        String small = GitServer.HOST + "/acme/small";
        String large = GitServer.HOST + "/acme/large";
        sallyport
                .sallyport(
                        "new",
                        "--name",
                        name,
                        "--runtime",
                        "bubblewrap",
                        "--repo",
                        small,
                        "--repo",
                        large)
                .run()
                .ok();
    }

    /// The large one takes long to judge and is refused in the end, so that it can be pushed again.
    private void makeRepositories() throws IOException {
        for (String name : List.of("small", "large")) {
            Path work = sallyport.workspace().resolve(name);
            Path bare = server.repositories().resolve("acme/" + name + ".git");
            GitServer.git(root, "clone", "-q", bare.toString(), work.toString());
        }
        Path large = sallyport.workspace().resolve("large");
        PushBench.fastImport(large, LARGE_COMMITS, LARGE_FILE_BYTES, "refs/heads/main");
        GitServer.git(large, "checkout", "-q", "-f", "main");
        Files.createDirectories(large.resolve(".github/workflows"));
        Files.writeString(large.resolve(".github/workflows/ci.yml"), "on: push\n");
        GitServer.git(large, "add", ".github");
        GitServer.git(large, "commit", "-q", "-m", "not allowed");
    }

    private void run() throws IOException {
        var _ = gets("bystander");
        var _ = pushes();
        attack("30 downloads of one sandbox", DOWNLOADS, 1, () -> gets("bystander"));
        attack("slow heads of one sandbox", SLOW_HEADS, 1, () -> gets("bystander"));
        attack("slow heads, the sandbox's own GETs", SLOW_HEADS, 1, () -> gets("hostile0"));
        attack("40 held requests in each of 32", HELD, GREEDY, () -> gets("bystander"));
        attack("large pushes of two, GETs", PUSH_LOOP, 2, () -> gets("bystander"));
        attack("large pushes of two, pushes", PUSH_LOOP, 2, this::pushes);
    }

    private void attack(String name, String script, int sandboxes, Supplier<List<Double>> measured)
            throws IOException {
        List<Double> quiet = measured.get();
        List<Double> quietDirect = direct();
        List<Process> attackers = new ArrayList<>();
        for (int i = 0; i < sandboxes; i++) {
            attackers.add(
                    exec("hostile" + i, "timeout 120 bash -c '" + quoted(script) + "'").start());
        }
        LockSupport.parkNanos(ATTACK_BEGINS.toNanos());
        List<Double> during = measured.get();
        List<Double> duringDirect = direct();
        String load = Files.readString(Path.of("/proc/loadavg")).split(" ", 2)[0];
        boolean lasted = attackers.stream().allMatch(Process::isAlive);
        attackers.forEach(Process::destroy);
        report(name, quiet, during);
        report("  without a gateway", quietDirect, duringDirect);
        System.out.printf("  load %s%s%n", load, lasted ? "" : ", the attack was over too soon");
        LockSupport.parkNanos(ATTACK_BEGINS.toNanos());
    }

    private static String quoted(String script) {
        return script.replace("'", "'\\''");
    }

    private Command exec(String sandbox, String script) {
        return sallyport
                .sallyport("exec", sandbox, "--", "bash", "-c", script)
                .within(Duration.ofMinutes(5));
    }

    private List<Double> gets(String sandbox) {
        return millis(exec(sandbox, loop("https://" + API + "/item")));
    }

    private List<Double> direct() {
        String url = "--cacert %s https://localhost:%d/item".formatted(api.caFile(), apiPort);
        return millis(Command.of("bash", "-c", loop(url)).within(Duration.ofMinutes(5)));
    }

    private static String loop(String url) {
        return "for i in $(seq %d); do curl -s -o /dev/null -w '%%{http_code} %%{time_total}\\n' %s; done"
                .formatted(GETS, url);
    }

    private List<Double> pushes() {
        return millis(exec("bystander", SMALL_PUSHES));
    }

    private static List<Double> millis(Command command) {
        List<Double> times = new ArrayList<>();
        for (String line : command.run().ok().lines().toList()) {
            if (!line.startsWith("200 ")) {
                throw new AssertionError("not all of them were answered: " + line);
            }
            times.add(Double.parseDouble(line.substring(4)) * 1_000);
        }
        return times.stream().sorted().toList();
    }

    private static void report(String name, List<Double> quiet, List<Double> during) {
        System.out.printf(
                "%-36s quiet p50 %7.1f p99 %7.1f ms   attacked p50 %7.1f p99 %7.1f ms   ratio %.1f, %.1f%n",
                name,
                at(quiet, 50),
                at(quiet, 99),
                at(during, 50),
                at(during, 99),
                at(during, 50) / at(quiet, 50),
                at(during, 99) / at(quiet, 99));
    }

    private static double at(List<Double> sorted, int percent) {
        return sorted.get(Math.min(sorted.size() - 1, sorted.size() * percent / 100));
    }
}

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
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/// What a bystander notices of its neighbours' attacks: small GETs whose TLS ends at the gateway,
/// each on a connection of its own, and small pushes, before and during each attack. The same
/// without a gateway, at the same time, says how much of it is the machine's.
///
/// Measured is how the gateway shares itself. What attackers burn by themselves is not its delay,
/// and they could burn it without sending anything, so it is excluded:
///
/// - Their programs, and the server that they download from, have processors only while nobody else
///   wants one. A priority does not do that alone: the kernel shares time between control groups,
///   and each sandbox is one, or between sessions. So the group of an attacker is made idle.
/// - A large pack is made once. Attackers send it with curl, again and again, which costs them a
///   tenth of a second; git would make it anew for each push.
/// - It is refused, so that upstream has no pack to index.
///
/// All that the gateway does for them counts: taking packs in, reading and judging them, refusing
/// them, removing them. The table says how many were judged meanwhile; none would be no attack.
public final class FairnessBench {
    private static final boolean QUICK = System.getenv("BENCH_QUICK") != null;
    private static final int GETS = QUICK ? 40 : 300;
    private static final int PUSHES = QUICK ? 30 : 200;
    private static final int BURST = QUICK ? 500 : 3_000;
    private static final int GREEDY = QUICK ? 4 : 32;
    private static final int LARGE_COMMITS = QUICK ? 500 : 2_000;
    private static final int LARGE_FILE_BYTES = 100_000;
    private static final Duration SETTLE = Duration.ofSeconds(QUICK ? 4 : 8);
    private static final Duration ATTACK_MAX = Duration.ofMinutes(5);

    /// Above this the machine has something else to do.
    private static final double QUIET_LOAD = 0.7;

    private static final String API = "api.test.example";

    /// Takes options of git and the URL.
    private static final String SMALL_PUSHES =
            "for i in $(seq %d); do git -c user.name=b -c user.email=b@test.example commit -q --allow-empty -m $i || exit 1; s=$(date +%%%%s%%%%N); git %%s push -q %%s HEAD:refs/heads/agent/b || exit 1; e=$(date +%%%%s%%%%N); echo 200 $(( (e - s) / 1000 ))e-6; done"
                    .formatted(PUSHES);

    /// As a package manager does it: many requests on few connections.
    private static final String BURST_GETS =
            "for i in $(seq %d); do echo url=https://%s/item; echo output=/dev/null; done >burst; s=$(date +%%s%%N); curl -s -K burst --http1.1 -Z --parallel-max 50 -w \"%%{http_code}\\n\" | sort | uniq -c; e=$(date +%%s%%N); echo $(( (e - s) / 1000000 )) ms"
                    .formatted(BURST, API);

    private final Path root;
    private final GitServer server;
    private final Daemons api;
    private final Daemons bulk;
    private final int apiPort = Daemons.freePort();
    private final int bulkPort = Daemons.freePort();
    private final Installation sallyport;

    /// @param direct the same without a gateway
    private record Probe(Supplier<List<Double>> through, Supplier<List<Double>> direct) {}

    private FairnessBench(
            Path root, GitServer server, Daemons api, Daemons bulk, Installation sallyport) {
        this.root = root;
        this.server = server;
        this.api = api;
        this.bulk = bulk;
        this.sallyport = sallyport;
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        double load = load();
        System.out.printf(
                "load before the run: %.1f%s%n",
                load, load > QUIET_LOAD ? ". THE MACHINE IS NOT QUIET: read the ratios only" : "");
        Path root = Files.createTempDirectory("sp-bench");
        try (GitServer server = GitServer.start(Files.createDirectory(root.resolve("server")));
                Daemons api = new Daemons(Files.createDirectory(root.resolve("api")));
                Daemons bulk = new Daemons(Files.createDirectory(root.resolve("bulk")));
                Installation sallyport = Installation.with(root.resolve("i"), server)) {
            FairnessBench bench = new FairnessBench(root, server, api, bulk, sallyport);
            bench.start();
            bench.run();
        } finally {
            Command.of("rm", "-rf", root.toString()).run();
        }
    }

    private static double load() throws IOException {
        return Double.parseDouble(Files.readString(Path.of("/proc/loadavg")).split(" ", 2)[0]);
    }

    private void start() throws IOException {
        Path items = Files.createDirectory(root.resolve("api/files"));
        Files.write(items.resolve("item"), new byte[1_024]);
        api.startOrigin(API, apiPort);
        Path large = Files.createDirectory(root.resolve("bulk/files")).resolve("bulk");
        try (RandomAccessFile file = new RandomAccessFile(large.toFile(), "rw")) {
            file.setLength(BulkServer.BYTES);
        }
        bulk.startOrigin(
                Attack.BULK_HOST,
                bulkPort,
                List.of("setsid", "sh", "-c", Attack.LOWEST + "exec \"$@\"", "sh"));
        Files.copy(api.caFile(), sallyport.home().resolve("api.pem"));
        Files.copy(bulk.caFile(), sallyport.home().resolve("bulk.pem"));
        Path policy = sallyport.home().resolve("policy.yaml");
        sallyport.policy(
                Files.readString(policy)
                        + rule(API, "item", apiPort, "api.pem")
                        + rule(Attack.BULK_HOST, "bulk", bulkPort, "bulk.pem")
                                .replace("egress:\n", ""));
        // The daemon that took the secret began without these rules.
        sallyport.sallyport("down").run().ok();
        server.repository("acme", "small");
        server.repository("acme", "large");
        server.repository("acme", "direct");
        make("bystander");
        for (int i = 0; i < GREEDY; i++) {
            make("hostile" + i);
            setIdle("hostile" + i, true);
        }
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

    private void make(String name) {
        List<String> argv = new ArrayList<>(List.of("new", "--name", name));
        argv.addAll(List.of("--runtime", "bubblewrap"));
        argv.addAll(List.of("--repo", GitServer.HOST + "/acme/small"));
        argv.addAll(List.of("--repo", GitServer.HOST + "/acme/large"));
        sallyport.sallyport(argv.toArray(String[]::new)).run().ok();
    }

    private void setIdle(String name, boolean idle) throws IOException {
        Attack.setIdle(exec(name, "cat /proc/self/cgroup").run().ok(), idle);
    }

    /// The large one takes long to judge and is refused in the end, so that it can be pushed again.
    private void makeRepositories() throws IOException {
        for (String name : List.of("small", "large", "direct")) {
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
        Path bare = server.repositories().resolve("acme/large.git");
        String tip = GitServer.git(large, "rev-parse", "HEAD");
        String line = "0".repeat(40) + " " + tip + " refs/heads/agent/x\0 report-status";
        Path body = sallyport.workspace().resolve("push.body");
        Files.writeString(body, "%04x%s0000".formatted(line.length() + 4, line));
        Command.of("bash", "-c", "git pack-objects --revs --stdout -q >>" + body)
                .in(large)
                .input(tip + "\n^" + GitServer.git(bare, "rev-parse", "main") + "\n")
                .run()
                .ok();
    }

    private void run() throws IOException, InterruptedException {
        // So that what is measured finds a gateway whose code is compiled.
        var _ = exec("bystander", BURST_GETS).run().ok();
        var _ = gets("bystander");
        var _ = pushes();
        burst();
        System.out.println(
                "| attack | quiet p50, p99 | attacked p50, p99 | ratio of the p99 | without a gateway |");
        System.out.println("|---|---|---|---|---|");
        Probe gets = new Probe(() -> gets("bystander"), this::direct);
        measure(new Attack("30 large downloads of one sandbox", Attack.DOWNLOADS, 1), gets);
        measure(new Attack("slow heads of one sandbox", Attack.SLOW_HEADS, 1), gets);
        setIdle("hostile0", false);
        measure(
                new Attack("slow heads, the sandbox's own requests", Attack.SLOW_HEADS, 1),
                new Probe(this::own, this::direct));
        setIdle("hostile0", true);
        String held = "40 held requests in each of " + GREEDY + " sandboxes";
        measure(new Attack(held, Attack.HELD, GREEDY), gets);
        measure(new Attack("large pushes of two sandboxes, GETs", Attack.PUSH_LOOP, 2), gets);
        measure(
                new Attack("large pushes of two sandboxes, small pushes", Attack.PUSH_LOOP, 2),
                new Probe(this::pushes, this::directPushes));
    }

    private void measure(Attack attack, Probe probe) throws IOException, InterruptedException {
        if (!attack.name().contains(Run.ONLY)) {
            return;
        }
        Files.deleteIfExists(refused());
        List<Double> quiet = probe.through().get();
        List<Double> quietDirect = probe.direct().get();
        List<Process> attackers = begin(attack);
        List<Double> during = probe.through().get();
        List<Double> duringDirect = probe.direct().get();
        boolean lasted = attackers.stream().allMatch(Process::isAlive);
        String work = work(attack);
        end(attackers);
        System.out.printf(
                Locale.ROOT,
                "| %s%s%s | %.1f, %.1f ms | %.1f, %.1f ms | %.1f | %.1f |%n",
                attack.name(),
                work,
                lasted ? "" : " (was over too soon)",
                at(quiet, 50),
                at(quiet, 99),
                at(during, 50),
                at(during, 99),
                at(during, 99) / at(quiet, 99),
                at(duringDirect, 99) / at(quietDirect, 99));
    }

    private Path refused() {
        return sallyport.workspace().resolve("refused");
    }

    private int judged() throws IOException {
        return Files.exists(refused()) ? Files.readAllLines(refused()).size() : 0;
    }

    /// How much there was of it: none would be no attack.
    private String work(Attack attack) throws IOException {
        if (attack.script().equals(Attack.PUSH_LOOP)) {
            return "; %d judged".formatted(judged());
        }
        return attack.script().equals(Attack.HELD) ? "; %d under way".formatted(underWay()) : "";
    }

    /// Connections that the server of the large download has.
    private long underWay() {
        String port = "sport = :" + bulkPort;
        return Command.of("ss", "-Htn", "state", "established", port).run().ok().lines().count();
    }

    /// Returns when all attackers are at work.
    private List<Process> begin(Attack attack) throws IOException {
        List<Process> attackers = new ArrayList<>();
        List<Path> signs = new ArrayList<>();
        for (int i = 0; i < attack.sandboxes(); i++) {
            Path sign = sallyport.workspace().resolve("begun" + i);
            Files.deleteIfExists(sign);
            signs.add(sign);
            String script = Attack.LOWEST + "touch " + sign.getFileName() + "; " + attack.script();
            attackers.add(
                    exec(
                                    "hostile" + i,
                                    "timeout %d bash -c '%s'"
                                            .formatted(ATTACK_MAX.toSeconds(), script))
                            .start());
        }
        long deadline = System.nanoTime() + ATTACK_MAX.toNanos();
        while (!signs.stream().allMatch(Files::exists)) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("not all attackers began");
            }
            LockSupport.parkNanos(100_000_000);
        }
        LockSupport.parkNanos(SETTLE.toNanos());
        return attackers;
    }

    private static void end(List<Process> attackers) throws InterruptedException {
        attackers.forEach(Process::destroy);
        for (Process attacker : attackers) {
            if (!attacker.waitFor(1, TimeUnit.MINUTES)) {
                throw new AssertionError("an attacker does not end");
            }
        }
        LockSupport.parkNanos(SETTLE.toNanos());
    }

    private Command exec(String sandbox, String script) {
        return sallyport
                .sallyport("exec", sandbox, "--", "bash", "-c", script)
                .within(Duration.ofMinutes(5));
    }

    private List<Double> gets(String sandbox) {
        return millis(exec(sandbox, loop("https://" + API + "/item")));
    }

    /// Requests to the door that its slow heads stand at.
    private List<Double> own() {
        return millis(exec("hostile0", loop("http://127.0.0.1/healthz")));
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
        String url = "https://%s/acme/small".formatted(GitServer.HOST);
        String script = "cd small && " + SMALL_PUSHES.formatted("", url);
        List<Double> times = millis(exec("bystander", script));
        requireArrived("small");
        return times;
    }

    private List<Double> directPushes() {
        String options =
                "-c http.sslCAInfo=%s -c http.curloptResolve=%s:%d:127.0.0.1"
                        .formatted(server.caFile(), GitServer.HOST, server.port());
        String url =
                "https://%s:%s@%s:%d/acme/direct.git"
                        .formatted(GitServer.USER, GitServer.TOKEN, GitServer.HOST, server.port());
        List<Double> times =
                millis(
                        Command.of("bash", "-c", SMALL_PUSHES.formatted(options, url))
                                .in(sallyport.workspace().resolve("direct"))
                                .with("GIT_CONFIG_GLOBAL", "/dev/null")
                                .with("GIT_CONFIG_NOSYSTEM", "1")
                                .without("GIT_SSL_CAINFO")
                                .within(Duration.ofMinutes(5)));
        requireArrived("direct");
        return times;
    }

    private void requireArrived(String name) {
        Path bare = server.repositories().resolve("acme/" + name + ".git");
        Path work = sallyport.workspace().resolve(name);
        if (!GitServer.git(bare, "rev-parse", "refs/heads/agent/b")
                .equals(GitServer.git(work, "rev-parse", "HEAD"))) {
            throw new AssertionError("the last commit did not arrive");
        }
    }

    private void burst() {
        List<String> lines = exec("bystander", BURST_GETS).run().ok().lines().toList();
        double millis = Double.parseDouble(lines.getLast().replace(" ms", ""));
        System.out.printf(
                Locale.ROOT,
                "a burst of %d GETs, 50 at a time: %.0f/s (at least 300); how many of which status: %s%n",
                BURST,
                BURST / millis * 1_000,
                String.join(", ", lines.subList(0, lines.size() - 1)).strip());
    }

    private static List<Double> millis(Command command) {
        List<Double> times = new ArrayList<>();
        for (String line : command.run().ok().lines().toList()) {
            if (!line.startsWith("200 ")) {
                throw new AssertionError("not all of them were answered: " + line);
            }
            times.add(Double.parseDouble(line.substring(4)) * 1_000);
        }
        Collections.sort(times);
        return times;
    }

    private static double at(List<Double> sorted, int percent) {
        return sorted.get(Math.min(sorted.size() - 1, sorted.size() * percent / 100));
    }
}

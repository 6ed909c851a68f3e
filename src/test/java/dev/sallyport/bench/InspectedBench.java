package dev.sallyport.bench;

import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.Installation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/// Small GETs over TLS that end at the gateway, are judged and recorded, and are made anew, beside
/// the same through mitmproxy and without either. Sallyport is asked from a sandbox, through the
/// transparent door; mitmproxy as a reverse proxy, because wrk knows no proxies.
public final class InspectedBench {
    private static final String HOST = "api.test.example";
    private static final int BODY_BYTES = 1024;
    private static final int CONNECTIONS = 16;
    private static final int ROUNDS = 7;
    private static final int ROUND_SECONDS = 5;

    /// A gateway that has just been started is still being compiled.
    private static final int WARM_UP_ROUNDS_MAX = 24;

    private static final double STEADY = 1.05;

    private final Path root;
    private final Daemons daemons;
    private final Installation sallyport;
    private final int port = Daemons.freePort();
    private final int mitmproxyPort = Daemons.freePort();
    private final Map<String, List<Load>> loads = new LinkedHashMap<>();

    private InspectedBench(Path root) throws IOException {
        this.root = root;
        this.daemons = new Daemons(Files.createDirectory(root.resolve("server")));
        this.sallyport = Installation.bare(root.resolve("i"));
    }

    public static void main(String[] args) throws IOException {
        Path root = Files.createTempDirectory("sp-bench");
        InspectedBench bench = new InspectedBench(root);
        try {
            bench.start();
            bench.run();
        } finally {
            bench.sallyport.close();
            bench.daemons.close();
            Command.of("rm", "-rf", root.toString()).run();
        }
    }

    private void start() throws IOException {
        Path files = Files.createDirectory(root.resolve("server").resolve("files"));
        Files.write(files.resolve("item"), new byte[BODY_BYTES]);
        daemons.startOrigin(HOST, port);
        daemons.start(mitmproxyPort, mitmproxy());
        Files.copy(daemons.caFile(), sallyport.home().resolve("ca.pem"));
        sallyport.policy(
                """
                egress:
                  - host: %s
                    methods: [GET]
                    paths: ["/item"]
                    dial: "127.0.0.1:%d"
                    ca-file: ca.pem
                limits:
                  sharing: {requests-per-second-per-sandbox-max: 100000}
                  egress: {requests-per-sandbox-max: 1000000000}
                """
                        .formatted(HOST, port));
        sallyport
                .sallyport("new", "--name", "bench", "--runtime", "bubblewrap", "--no-repo")
                .run()
                .ok();
        requireInspection();
    }

    /// It verifies the origin, as Sallyport does, keeps nothing and prints nothing.
    private List<String> mitmproxy() {
        return List.of(
                "mitmdump",
                "--quiet",
                "--mode",
                "reverse:https://localhost:" + port,
                "--listen-host",
                "127.0.0.1",
                "--listen-port",
                Integer.toString(mitmproxyPort),
                "--set",
                "confdir=" + authority(),
                "--set",
                "ssl_verify_upstream_trusted_ca=" + daemons.caFile(),
                "--set",
                "flow_detail=0");
    }

    private Path authority() {
        return root.resolve("mitmproxy");
    }

    /// wrk takes any certificate, so what is in between is established before.
    private void requireInspection() {
        Path ca = authority().resolve("mitmproxy-ca-cert.pem");
        requireBody(Command.of("curl", "-sS", "--cacert", ca.toString(), local(mitmproxyPort)));
        requireBody(exec(List.of("curl", "-sS", remote())));
        String refused = "%{http_code}";
        String code =
                exec(List.of("curl", "-sS", "-o", "/dev/null", "-w", refused, remote() + "s"))
                        .run()
                        .ok();
        if (!code.equals("403")) {
            throw new AssertionError("a path outside the rule was answered with " + code);
        }
    }

    private static void requireBody(Command curl) {
        if (curl.run().out().length() != BODY_BYTES) {
            throw new AssertionError("the answer is not the origin's");
        }
    }

    private static String local(int port) {
        return "https://localhost:" + port + "/item";
    }

    private static String remote() {
        return "https://" + HOST + "/item";
    }

    private Command exec(List<String> argv) {
        List<String> all = new ArrayList<>(List.of("exec", "bench", "--"));
        all.addAll(argv);
        return sallyport.sallyport(all.toArray(String[]::new));
    }

    private void run() throws IOException {
        var _ = direct(mitmproxyPort, ROUND_SECONDS);
        warmUp();
        try (GatewayMemory memory = new GatewayMemory(sallyport)) {
            for (int i = 0; i < ROUNDS; i++) {
                note("direct", direct(port, ROUND_SECONDS));
                note("Sallyport", through(ROUND_SECONDS));
                note("mitmproxy", direct(mitmproxyPort, ROUND_SECONDS));
            }
            report(memory.growthBytes());
        }
    }

    /// Until three rounds in a row were not clearly better than the best before.
    private void warmUp() {
        double best = 0;
        int steady = 0;
        for (int i = 0; i < WARM_UP_ROUNDS_MAX && steady < 3; i++) {
            double rate = through(ROUND_SECONDS).requestsPerSecond();
            steady = rate > best * STEADY ? 0 : steady + 1;
            best = Math.max(best, rate);
        }
    }

    private static Load direct(int port, int seconds) {
        return Load.measured(Command.of(Load.argv(CONNECTIONS, seconds, local(port))));
    }

    private Load through(int seconds) {
        return Load.measured(exec(Load.argv(CONNECTIONS, seconds, remote())));
    }

    private void note(String way, Load load) {
        loads.computeIfAbsent(way, _ -> new ArrayList<>()).add(load);
    }

    /// Others use the machine, too: what happened in one round is compared with that round only.
    private void report(long memoryGrowth) {
        loads.forEach(
                (way, rounds) ->
                        System.out.printf(
                                "GETs over TLS, %-10s median %8.0f requests/s   p99 %7.2f ms%n",
                                way,
                                median(rounds.stream().map(Load::requestsPerSecond).toList()),
                                median(rounds.stream().map(Load::p99Millis).toList())));
        System.out.printf(
                "Sallyport over mitmproxy, median: requests/s x %.1f, p99 / %.1f%n",
                ratio("Sallyport", "mitmproxy", Load::requestsPerSecond),
                ratio("mitmproxy", "Sallyport", Load::p99Millis));
        System.out.printf("gateway memory growth %5.1f MiB%n", memoryGrowth / 1048576.0);
    }

    private double ratio(String above, String below, ToDoubleFunction<Load> figure) {
        List<Double> ratios = new ArrayList<>();
        List<Load> first = loads.getOrDefault(above, List.of());
        List<Load> second = loads.getOrDefault(below, List.of());
        for (int i = 0; i < first.size(); i++) {
            ratios.add(figure.applyAsDouble(first.get(i)) / figure.applyAsDouble(second.get(i)));
        }
        return median(ratios);
    }

    private static double median(List<Double> values) {
        return values.stream().sorted().toList().get(values.size() / 2);
    }
}

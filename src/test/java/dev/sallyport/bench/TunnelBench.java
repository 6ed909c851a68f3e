package dev.sallyport.bench;

import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.Installation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// A download of 2 GB over TLS, direct, from a sandbox through the gateway, and through two other
/// proxies, one after the other and several times over. Only what curl measures counts; starting a
/// sandbox's command does not.
public final class TunnelBench {
    private static final int ROUNDS = 7;

    private final Path root;
    private final BulkServer server;
    private final Installation sallyport;
    private final Map<String, List<Double>> seconds = new LinkedHashMap<>();

    private TunnelBench(Path root) throws IOException {
        this.root = root;
        this.server = BulkServer.start(Files.createDirectory(root.resolve("server")));
        this.sallyport = Installation.bare(root.resolve("i"));
    }

    public static void main(String[] args) throws IOException {
        Path root = Files.createTempDirectory("sp-bench");
        TunnelBench bench = new TunnelBench(root);
        try {
            bench.run();
        } finally {
            bench.sallyport.close();
            bench.server.close();
            Command.of("rm", "-rf", root.toString()).run();
        }
    }

    private void run() throws IOException {
        newSandbox();
        through();
        try (GatewayMemory memory = new GatewayMemory(sallyport)) {
            for (int i = 0; i < ROUNDS; i++) {
                note("direct", curl("--resolve", server.resolve(), server.url()));
                note("Sallyport", through());
                note("tinyproxy", proxied(server.tinyproxy()));
                note("squid", proxied(server.squid()));
            }
            report(memory.growthBytes());
        }
    }

    private void newSandbox() throws IOException {
        sallyport.policy(
                """
                egress:
                  - host: %s
                    dial: "%s"
                """
                        .formatted(BulkServer.HOST, server.dial()));
        Files.copy(server.caFile(), sallyport.workspace().resolve("ca.pem"));
        sallyport
                .sallyport("new", "--name", "bench", "--runtime", "bubblewrap", "--no-repo")
                .run()
                .ok();
    }

    private void note(String way, double taken) {
        seconds.computeIfAbsent(way, _ -> new ArrayList<>()).add(taken);
    }

    private double through() {
        String url = "https://" + BulkServer.HOST + "/bulk";
        return measured(
                sallyport.sallyport(
                        arguments("exec", "bench", "--", "curl", "--cacert", "ca.pem", url)));
    }

    private double proxied(String proxy) {
        return curl("--proxy", proxy, "--connect-to", server.connectTo(), server.url());
    }

    private double curl(String... how) {
        List<String> argv = new ArrayList<>(List.of("curl", "--cacert"));
        argv.add(server.caFile().toString());
        argv.addAll(List.of(how));
        return measured(Command.of(List.of(arguments(argv.toArray(String[]::new)))).in(root));
    }

    private static String[] arguments(String... first) {
        List<String> all = new ArrayList<>(List.of(first));
        all.addAll(List.of("-sS", "-o", "/dev/null", "-w", "%{size_download} %{time_total}"));
        return all.toArray(String[]::new);
    }

    private static double measured(Command download) {
        String[] figures = download.within(Duration.ofMinutes(5)).run().ok().split(" ", -1);
        if (Long.parseLong(figures[0]) != BulkServer.BYTES) {
            throw new AssertionError("not all of it arrived: " + figures[0]);
        }
        return Double.parseDouble(figures[1]);
    }

    /// Others use the machine, too: what happened in one round is compared with that round only.
    private void report(long memoryGrowth) {
        List<Double> direct = seconds.getOrDefault("direct", List.of());
        seconds.forEach(
                (way, taken) -> {
                    List<Double> ratios = new ArrayList<>();
                    for (int i = 0; i < taken.size(); i++) {
                        ratios.add(taken.get(i) / direct.get(i));
                    }
                    System.out.printf(
                            "2 GB over TLS, %-10s median %6.2f s, median ratio %5.2f   best %6.2f s, ratio %5.2f%n",
                            way,
                            median(taken),
                            median(ratios),
                            best(taken),
                            best(taken) / best(direct));
                });
        System.out.printf("gateway memory growth %5.1f MiB%n", memoryGrowth / 1048576.0);
    }

    private static double median(List<Double> values) {
        return values.stream().sorted().toList().get(values.size() / 2);
    }

    private static double best(List<Double> values) {
        return values.stream().min(Double::compare).orElseThrow();
    }
}

package dev.sallyport.bench;

import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.Installation;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// A download over TLS, direct, from a sandbox through the gateway, and through other proxies with
/// CONNECT. Only what curl measures counts; starting a sandbox's command does not.
public final class TunnelBench {
    private static final int ROUNDS = Run.sized(5, 1);

    private final Run run;
    private final BulkServer server;
    private final Installation sallyport;

    private TunnelBench(Run run) throws IOException {
        this.run = run;
        this.server = run.using(BulkServer.start(run.directory("server")));
        this.sallyport = run.using(Installation.bare(run.root().resolve("i")));
    }

    public static void main(String[] args) throws IOException {
        Run.bench("tunnel", run -> new TunnelBench(run).measure());
    }

    private void measure() throws IOException {
        newSandbox();
        Contest contest =
                new Contest(
                                "tunnel",
                                "%,d MiB through a tunnel".formatted(BulkServer.BYTES >> 20),
                                ROUNDS)
                        .figure("wall", "s")
                        .usage("s")
                        .way(
                                Contest.DIRECT,
                                () -> curl("--resolve", server.resolve(), server.url()));
        server.proxies().join(contest, proxy -> () -> proxied(proxy));
        run.measure(
                contest.way(Contest.US, this::through, () -> Usage.processesOf(sallyport))
                        .without("nginx", "knows no CONNECT")
                        .atMost("wall", 1.1, Contest.DIRECT)
                        .atMost("wall", 1, "squid"));
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

    private List<Double> through() {
        String url = "https://" + BulkServer.HOST + "/bulk";
        return measured(
                sallyport.sallyport(
                        arguments("exec", "bench", "--", "curl", "--cacert", "ca.pem", url)));
    }

    private List<Double> proxied(Proxies.Proxy proxy) {
        if (proxy.name().equals(BulkServer.RELAY)) {
            return curl("--connect-to", server.connectTo(proxy.port()), server.url());
        }
        String door = "http://127.0.0.1:" + proxy.port();
        return curl("--proxy", door, "--connect-to", server.connectTo(), server.url());
    }

    private List<Double> curl(String... how) {
        List<String> argv = new ArrayList<>(List.of("curl", "--cacert"));
        argv.add(server.caFile().toString());
        argv.addAll(List.of(how));
        return measured(Command.of(List.of(arguments(argv.toArray(String[]::new)))).in(run.root()));
    }

    private static String[] arguments(String... first) {
        List<String> all = new ArrayList<>(List.of(first));
        all.addAll(List.of("-sS", "-o", "/dev/null", "-w", "%{size_download} %{time_total}"));
        return all.toArray(String[]::new);
    }

    private static List<Double> measured(Command download) {
        String[] figures = download.within(Duration.ofMinutes(5)).run().ok().split(" ", -1);
        if (Long.parseLong(figures[0]) != BulkServer.BYTES) {
            throw new AssertionError("not all of it arrived: " + figures[0]);
        }
        return List.of(Double.parseDouble(figures[1]));
    }
}

package dev.sallyport.bench;

import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.Installation;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Small GETs over TLS that end at the gateway, are judged and recorded, and are made anew, beside
/// other proxies that do the same but judge nothing: TLS in, TLS out, access log. Sallyport is
/// asked from a sandbox, through the transparent door; the others as reverse proxies, because wrk
/// knows no proxies.
public final class InspectedBench {
    private static final String HOST = "api.test.example";
    private static final int BODY_BYTES = 1024;
    private static final int CONNECTIONS = 16;
    private static final int ROUNDS = Run.sized(5, 1);
    private static final int ROUND_SECONDS = Run.sized(3, 1);

    private final Run run;
    private final Daemons daemons;
    private final Installation sallyport;
    private final int port = Daemons.freePort();

    InspectedBench(Run run) throws IOException {
        this.run = run;
        this.daemons = run.using(new Daemons(run.directory("server")));
        this.sallyport = run.using(Installation.bare(run.root().resolve("i")));
    }

    public static void main(String[] args) throws IOException {
        Run.bench("inspected", run -> new InspectedBench(run).measure());
    }

    private void measure() throws IOException {
        start();
        Proxies proxies =
                new Proxies(
                        daemons,
                        new Proxies.Origin(HOST, port, daemons.caFile(), Optional.empty()),
                        Optional.of(daemons.caFile()));
        Proxies.Field field = proxies.start("nginx", "haproxy", "mitmproxy");
        requireInspection();
        Contest contest =
                Load.figures(new Contest("inspected", "inspected GETs of 1 KiB", ROUNDS))
                        .way(Contest.DIRECT, () -> outside(port).values());
        field.join(contest, proxy -> () -> outside(proxy.port()).values());
        Load.warmUp(this::through);
        run.measure(
                contest.way(
                                Contest.US,
                                () -> through().values(),
                                () -> Usage.processesOf(sallyport))
                        .without("squid", "Debian's is built without inspection of TLS")
                        .without("tinyproxy", "does not inspect TLS")
                        .atLeast("rate", 0.5, "nginx")
                        .atLeast("rate", 10, "mitmproxy")
                        .atMost("p99", 0.1, "mitmproxy"));
    }

    /// A sandbox that may get one item from one host.
    void start() throws IOException {
        Files.write(run.directory("server/files").resolve("item"), new byte[BODY_BYTES]);
        daemons.startOrigin(HOST, port);
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
    }

    Installation sallyport() {
        return sallyport;
    }

    /// wrk takes any certificate, so what is in between is established before.
    private void requireInspection() {
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

    static String remote() {
        return "https://" + HOST + "/item";
    }

    /// In the sandbox.
    Command exec(List<String> argv) {
        List<String> all = new ArrayList<>(List.of("exec", "bench", "--"));
        all.addAll(argv);
        return sallyport.sallyport(all.toArray(String[]::new));
    }

    private static Load outside(int port) {
        return Load.measured(Command.of(Load.argv(CONNECTIONS, ROUND_SECONDS, local(port))));
    }

    private Load through() {
        return Load.measured(exec(Load.argv(CONNECTIONS, ROUND_SECONDS, remote())));
    }
}

package dev.sallyport.bench;

import dev.sallyport.fixture.GitServer;
import dev.sallyport.fixture.Installation;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/// A sandbox whose gateway is on another machine, beside one on the gateway's own machine. Both use
/// the same gateway. Both machines are this one, so it is the way that is measured and no network:
/// a sidecar, TLS and HTTP/2.
public final class RemoteBench {
    private static final String LOCAL = "one machine";
    private static final int ROUNDS = Run.sized(5, 1);
    private static final int MEGABYTES = Run.sized(300, 30);
    private static final int REQUESTS = Run.sized(500, 50);
    private static final Optional<Integer> SIDECARS_ONLY =
            Optional.ofNullable(System.getenv("BENCH_SIDECARS")).map(Integer::valueOf);
    private static final int SIDECARS_MAX = SIDECARS_ONLY.orElse(Run.sized(20, 3));

    /// What is left for everything else on the machine.
    private static final double FREE_GIBIBYTES_MIN = 4;

    private static final Duration SETTLE = Duration.ofSeconds(Run.sized(40, 2));
    private static final Duration COMMAND_MAX = Duration.ofMinutes(3);

    /// On one connection that is kept. The first one does not count.
    private static final String ASK =
            """
            for i in $(seq %d); do
              echo 'url = "http://gateway.sallyport/healthz"'; echo 'output = /dev/null'
            done | curl -s -K - -w '%%{time_total}\\n' | tail -n +2
            """
                    .formatted(REQUESTS + 1);

    private static final String CLONE =
            """
            rm -rf clone
            s=$(date +%%s%%N)
            git -c safe.directory='*' clone -q --bare https://%s/acme/large.git clone
            e=$(date +%%s%%N)
            echo $((e - s))
            """
                    .formatted(GitServer.HOST);

    private final Run run;
    private final Installation there;
    private final Installation here;

    private RemoteBench(Run run) throws IOException {
        this.run = run;
        GitWays git = new GitWays(run);
        Path large = git.repository("large");
        PushBench.fastImport(
                large, new PushBench.History(1, MEGABYTES, 1_000_000), "refs/heads/main");
        GitServer.git(large, "repack", "-adq");
        git.newSandbox(
                """
                git:
                  - {repo: "%s/acme/large", access: read, mirror: off}
                """
                        .formatted(GitServer.HOST),
                List.of("large"));
        this.there = git.sallyport();
        this.here = run.using(Installation.bare(run.root().resolve("h")));
    }

    public static void main(String[] args) throws IOException {
        Run.bench("remote", run -> new RemoteBench(run).measure());
    }

    private void measure() throws IOException {
        String address = "127.0.0.1:" + Daemons.freePort();
        there.sallyport("gateway", "--listen", address).run().ok();
        String code = there.sallyport("gateway", "code", "bench", "--address", address).run().ok();
        here.sallyport("enroll", "-").input(code).run().ok();
        make("bench", "--repo", GitServer.HOST + "/acme/large");
        if (SIDECARS_ONLY.isEmpty()) {
            speed();
        }
        memory();
    }

    private void speed() throws IOException {
        run.measure(
                new Contest("remote-clone", "clone of " + MEGABYTES + " MB", ROUNDS)
                        .figure("wall", "s")
                        .way(LOCAL, () -> clone(there))
                        .way(Contest.US, () -> clone(here))
                        .atMost("wall", 1.25, LOCAL));
        run.measure(
                new Contest("remote-request", "a request to the front door", ROUNDS)
                        .figure("p50", "ms")
                        .way(LOCAL, () -> ask(there))
                        .way(Contest.US, () -> ask(here))
                        .atMostMore("p50", 0.3, LOCAL));
    }

    private void memory() throws IOException {
        int made = 1;
        while (made < SIDECARS_MAX && Usage.freeGibibytes() > FREE_GIBIBYTES_MIN) {
            make("idle" + made, "--no-repo");
            made++;
        }
        int sidecars = made;
        here.awaitSpare();
        there.awaitSpare();
        LockSupport.parkNanos(SETTLE.toNanos());
        run.measure(
                new Contest("remote-memory", "each of " + sidecars + " sidecars", ROUNDS)
                        .figure("resident", "MiB")
                        .figure("both wardens and gateways", "MiB")
                        .way(
                                Contest.US,
                                () ->
                                        List.of(
                                                Usage.mebibytes(sidecars(sidecars)) / sidecars,
                                                Usage.mebibytes(Usage.processesOf(here))
                                                        + Usage.mebibytes(
                                                                Usage.processesOf(there))))
                        .atMost("resident", 64));
    }

    private void make(String name, String... rights) {
        List<String> argv = new ArrayList<>(List.of("new", "--name", name));
        argv.addAll(List.of("--gateway", "gateway", "--runtime", "bubblewrap"));
        argv.addAll(List.of(rights));
        here.sallyport(argv.toArray(String[]::new)).run().ok();
    }

    private static List<Double> clone(Installation of) {
        String out =
                of.sallyport("exec", "bench", "--", "bash", "-ec", CLONE)
                        .within(COMMAND_MAX)
                        .run()
                        .ok();
        return List.of(Double.parseDouble(out.lines().toList().getLast()) / 1e9);
    }

    private static List<Double> ask(Installation of) {
        List<Double> all =
                of.sallyport("exec", "bench", "--", "bash", "-ec", ASK)
                        .run()
                        .ok()
                        .lines()
                        .map(line -> Double.parseDouble(line) * 1e3)
                        .toList();
        return List.of(Contest.median(all));
    }

    private List<Long> sidecars(int expected) {
        List<Long> found = Usage.children(here, "internal-sidecar");
        if (found.size() != expected) {
            throw new AssertionError(found.size() + " sidecars");
        }
        return found;
    }
}

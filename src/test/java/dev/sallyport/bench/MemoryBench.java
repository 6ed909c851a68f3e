package dev.sallyport.bench;

import dev.sallyport.config.Home;
import dev.sallyport.fixture.Installation;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/// What the warden, the gateway and the spare gateway keep in memory while sandboxes do nothing.
public final class MemoryBench {
    private static final int SANDBOXES = Run.sized(100, 10);
    private static final int ROUNDS = Run.sized(5, 1);
    private static final Duration SETTLE = Duration.ofSeconds(Run.sized(30, 2));
    private static final Duration BETWEEN = Duration.ofSeconds(2);

    private MemoryBench() {}

    public static void main(String[] args) throws IOException {
        Run.bench("memory", MemoryBench::measure);
    }

    private static void measure(Run run) throws Exception {
        Installation sallyport = run.using(Installation.bare(run.root().resolve("i")));
        sallyport.sallyport("up").run().ok();
        Home home = new Home(sallyport.home());
        RestartBench.make(sallyport, home, SANDBOXES);
        if (RestartBench.withDoors(home) != SANDBOXES) {
            throw new AssertionError("not all sandboxes are there");
        }
        sallyport.awaitSpare();
        LockSupport.parkNanos(SETTLE.toNanos());
        run.measure(
                new Contest("memory-idle", SANDBOXES + " idle sandboxes", ROUNDS)
                        .figure("resident", "MiB")
                        .way(
                                Contest.US,
                                () -> {
                                    LockSupport.parkNanos(BETWEEN.toNanos());
                                    return List.of(Usage.mebibytes(Usage.processesOf(sallyport)));
                                })
                        .atMost("resident", 220));
    }
}

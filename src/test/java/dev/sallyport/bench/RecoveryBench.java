package dev.sallyport.bench;

import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.Installation;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/// How long a sandbox waits for its next answer after its gateway was killed, beside the same
/// request without a kill. Only what curl measures inside the sandbox counts.
public final class RecoveryBench {
    private static final int KILLS = System.getenv("BENCH_QUICK") == null ? 20 : 5;

    /// The next one waits ever longer when gateways die young again and again, and a young one has
    /// no spare yet.
    private static final Duration OLD_ENOUGH = Duration.ofSeconds(15);

    /// Asks once for each line, so that starting a command does not hide what the answer takes.
    private static final String ASK =
            "while read -r _; do curl -sS --fail -m 60 -o /dev/null -w '%{time_total}\\n' http://gateway.sallyport/healthz; done";

    private final Installation sallyport;

    private RecoveryBench(Installation sallyport) {
        this.sallyport = sallyport;
    }

    public static void main(String[] args) throws IOException {
        Path root = Files.createTempDirectory("sp-bench");
        Installation sallyport = Installation.bare(root.resolve("i"));
        try {
            new RecoveryBench(sallyport).run();
        } finally {
            sallyport.close();
            Command.of("rm", "-rf", root.toString()).run();
        }
    }

    private void run() throws IOException {
        sallyport
                .sallyport("new", "--name", "bench", "--runtime", "bubblewrap", "--no-repo")
                .run()
                .ok();
        List<Double> quiet = new ArrayList<>();
        List<Double> killed = new ArrayList<>();
        Process asking = sallyport.sallyport("exec", "bench", "--", "sh", "-c", ASK).start();
        try (BufferedWriter go = asking.outputWriter();
                BufferedReader seconds = asking.inputReader()) {
            for (int i = 0; i < KILLS; i++) {
                LockSupport.parkNanos(OLD_ENOUGH.toNanos());
                quiet.add(next(go, seconds));
                sallyport.killGateway();
                killed.add(next(go, seconds));
            }
        } finally {
            asking.destroy();
        }
        report("without a kill", quiet);
        report("after a kill", killed);
    }

    private static double next(BufferedWriter go, BufferedReader seconds) throws IOException {
        go.write("\n");
        go.flush();
        return Double.parseDouble(seconds.readLine());
    }

    private static void report(String what, List<Double> seconds) {
        Collections.sort(seconds);
        System.out.printf(
                "next answer %-15s median %.3f s, slowest of %d %.3f s%n",
                what, seconds.get(seconds.size() / 2), seconds.size(), seconds.getLast());
    }
}

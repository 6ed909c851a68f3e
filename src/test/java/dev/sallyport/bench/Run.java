package dev.sallyport.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.fixture.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/// One benchmark: a directory that goes when it is over, what has to be closed then, and its part
/// of the results. The benchmarks of one run, each a process of its own, share one file, so that
/// one that fails or hangs takes nothing from the others.
final class Run {
    /// Makes everything small, to try that it works.
    static final boolean QUICK = System.getenv("BENCH_QUICK") != null;

    /// What is measured has this in its name, where a benchmark lets one choose.
    static final String ONLY = System.getenv().getOrDefault("BENCH_ONLY", "");

    /// Above these the machine had something else to do.
    static final double QUIET_LOAD = 0.7;

    static final double QUIET_BUSY = 0.1;
    static final double QUIET_STOLEN = 0.02;

    private static final Duration LOOK = Duration.ofSeconds(2);
    private static final int LOOKS_MAX = sized(5, 1);
    private static final ObjectMapper JSON =
            new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    private final Path root;
    private final Path file;
    private final ObjectNode results;
    private final ObjectNode part;
    private final List<AutoCloseable> open = new ArrayList<>();

    /// Measures.
    interface Bench {
        void run(Run run) throws Exception;
    }

    private Run(Path file, boolean shared, String name) throws IOException {
        this.file = file;
        this.root = Files.createTempDirectory("sp-bench").toRealPath();
        // For proxies that give up root.
        Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwx--x--x"));
        this.results =
                shared && Files.exists(file)
                        ? (ObjectNode) JSON.readTree(file.toFile())
                        : Machine.describe(JSON.createObjectNode());
        this.part = JSON.createObjectNode();
        results.withObject("/benches").set(name, part);
    }

    /// Ends the process, with status 1 when anything failed.
    static void bench(String name, Bench bench) throws IOException {
        Path standard = Path.of("target/bench/" + name + ".json");
        String given = System.getenv("BENCH_FILE");
        Run run =
                given == null
                        ? new Run(standard, false, name)
                        : new Run(Path.of(given), true, name);
        Runtime.getRuntime().addShutdownHook(new Thread(run::close));
        System.exit(run.measured(bench) ? 0 : 1);
    }

    private boolean measured(Bench bench) throws IOException {
        // Until it is over; who kills this process leaves it so.
        part.put("failed", "it did not end in its time");
        part.put("begun", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
        save();
        Usage.Clock before = Usage.Clock.now();
        part.put("busyBefore", busy());
        try {
            bench.run(this);
            part.remove("failed");
        } catch (Exception | AssertionError e) {
            e.printStackTrace();
            part.put("failed", String.valueOf(e.getMessage()).lines().findFirst().orElse(""));
        } finally {
            close();
        }
        Usage.Clock after = Usage.Clock.now();
        part.put("stolen", after.stolenSince(before));
        save();
        System.out.print(new Report(results).tables(part));
        return !part.has("failed") && part.findValues("failed").isEmpty();
    }

    /// What others do. What was measured before may still be at its end, so the best look counts.
    private static double busy() throws IOException {
        double least = 1;
        for (int i = 0; i < LOOKS_MAX && least > QUIET_BUSY; i++) {
            Usage.Clock before = Usage.Clock.now();
            LockSupport.parkNanos(LOOK.toNanos());
            least = Math.min(least, Usage.Clock.now().busySince(before));
        }
        return least;
    }

    /// Also when the process is told to end.
    private synchronized void close() {
        for (AutoCloseable closeable : open.reversed()) {
            try {
                closeable.close();
            } catch (Exception e) {
                System.err.println("not closed: " + e);
            }
        }
        open.clear();
        Command.of("rm", "-rf", root.toString()).run();
    }

    private void save() throws IOException {
        Files.createDirectories(file.toAbsolutePath().getParent());
        Path next = file.resolveSibling(file.getFileName() + ".new");
        JSON.writeValue(next.toFile(), results);
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    }

    /// All of this run so far.
    ObjectNode results() {
        return results;
    }

    Path root() {
        return root;
    }

    Path directory(String name) throws IOException {
        return Files.createDirectories(root.resolve(name));
    }

    /// Closed when the benchmark is over, the last one first.
    synchronized <T extends AutoCloseable> T using(T closeable) {
        open.add(closeable);
        return closeable;
    }

    /// What was measured is kept at once.
    void measure(Contest contest) throws IOException {
        part.withArray("contests").add(contest.measure());
        save();
    }

    static <T> T sized(T full, T quick) {
        return QUICK ? quick : full;
    }
}

package dev.sallyport.bench;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.audit.AuditLog;
import dev.sallyport.audit.Stamp;
import dev.sallyport.fixture.AuditLogs;
import dev.sallyport.fixture.Await;
import dev.sallyport.fixture.Browser;
import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.Installation;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/// How many lines a second the record takes when many share a write, and what it costs those who
/// are watched: requests a second alone, with `watch`, and with `watch` and the page open in a
/// browser, in turns. The browser runs all the time, with an empty tab when the page is not open.
public final class AuditBench {
    private static final String HOST = "api.test.example";
    private static final int CONNECTIONS = 16;
    private static final int ROUNDS = Run.sized(7, 1);
    private static final int ROUND_SECONDS = Run.sized(3, 1);
    private static final int BATCH_LINES = 64;
    private static final double LINES_PER_SECOND_MIN = 20_000;
    private static final double EFFECT_MAX = 0.05;

    private final Path root;
    private final Daemons daemons;
    private final Installation sallyport;

    private AuditBench(Path root, Daemons daemons, Installation sallyport) {
        this.root = root;
        this.daemons = daemons;
        this.sallyport = sallyport;
    }

    public static void main(String[] args) throws Exception {
        Path root = Files.createTempDirectory("sp-bench").toRealPath();
        Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwx--x--x"));
        boolean good;
        try (Daemons daemons = new Daemons(Files.createDirectory(root.resolve("server")));
                Installation sallyport = Installation.bare(root.resolve("i"))) {
            AuditBench bench = new AuditBench(root, daemons, sallyport);
            boolean fast = bench.lines();
            good = bench.watched() && fast;
        } finally {
            Command.of("rm", "-rf", root.toString()).run();
        }
        System.exit(good ? 0 : 1);
    }

    private boolean lines() throws IOException {
        Path directory = Files.createDirectory(root.resolve("audit"));
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
        AuditEvent event =
                new AuditEvent(
                        "egress.request",
                        "0123456789abcdef",
                        "allow",
                        Map.of(
                                "id", "19b7a1c3e2f4a0b1",
                                "host", HOST,
                                "port", "443",
                                "method", "GET",
                                "path", "/v1/some/item",
                                "rule", "policy.yaml:12"));
        List<AuditEvent> batch = Collections.nCopies(BATCH_LINES, event);
        Stamp stamp = new Stamp("bench", "bubblewrap:1234-567890", "9c1185a5c5e9fc54");
        List<Double> rates = new ArrayList<>();
        try (AuditLog log = AuditLogs.open(directory.resolve("audit.jsonl"))) {
            for (int round = 0; round <= ROUNDS; round++) {
                rates.add(round(log, batch, stamp));
            }
        }
        // The first one is for the compiler.
        double rate = median(rates.subList(1, rates.size()));
        System.out.printf("record: %.0f lines/s, %d in one write%n", rate, BATCH_LINES);
        return holds(rate >= LINES_PER_SECOND_MIN, "at least 20000 lines/s");
    }

    private static double round(AuditLog log, List<AuditEvent> batch, Stamp stamp)
            throws IOException {
        long end = System.nanoTime() + Duration.ofSeconds(ROUND_SECONDS).toNanos();
        long lines = 0;
        while (System.nanoTime() < end) {
            log.append(batch, _ -> stamp);
            lines += batch.size();
        }
        return (double) lines / ROUND_SECONDS;
    }

    private boolean watched() throws IOException {
        start();
        Load.warmUp(this::through);
        List<Double> alone = new ArrayList<>();
        List<Double> watched = new ArrayList<>();
        List<Double> seen = new ArrayList<>();
        Duration drawing = Duration.ZERO;
        try (Browser browser = Browser.start(root)) {
            open(browser, sallyport.sallyport("ui").run().ok());
            String page = browser.value("location.origin").asText();
            for (int round = 0; round < ROUNDS; round++) {
                browser.open("about:blank");
                alone.add(through().requestsPerSecond());
                watched.add(withWatch());
                open(browser, page);
                Duration before = browser.processorTime();
                seen.add(withWatch());
                drawing = drawing.plus(browser.processorTime().minus(before));
                browser.awaitText("#state", "Live");
            }
        }
        System.out.printf("requests: %.0f/s%n", median(alone));
        boolean light = effect("watch", alone, watched);
        boolean all = effect("watch and the page", alone, seen);
        double cores = (double) drawing.toMillis() / Duration.ofSeconds(ROUND_SECONDS).toMillis();
        System.out.printf("the browser itself took %.2f of a processor%n", cores / ROUNDS);
        return all && light;
    }

    /// Until it has checked the record as a whole, which it does once.
    private static void open(Browser browser, String page) {
        browser.open(page);
        browser.awaitText("#state", "Live");
        browser.awaitText("#proof-text", "intact");
    }

    private static boolean effect(String what, List<Double> without, List<Double> with) {
        double effect = 1 - median(with) / median(without);
        System.out.printf("with %s: %.0f/s, effect %.1f %%%n", what, median(with), 100 * effect);
        return holds(median(without) > 0 && effect <= EFFECT_MAX, "at most 5 % effect of " + what);
    }

    /// What is measured begins when it follows: its own start would take a part of the time.
    private double withWatch() {
        Process watch = sallyport.sallyport("watch", "--follow").start();
        AtomicBoolean follows = new AtomicBoolean();
        Thread.startVirtualThread(() -> readAll(watch, follows));
        try {
            Await.until(
                    "watch follows",
                    () -> {
                        inside("curl", "-fso", "/dev/null", "https://" + HOST + "/item").run().ok();
                        return follows.get();
                    });
            return through().requestsPerSecond();
        } finally {
            watch.destroy();
        }
    }

    private static void readAll(Process watch, AtomicBoolean begun) {
        try (InputStream out = watch.getInputStream()) {
            if (out.read() >= 0) {
                begun.set(true);
            }
            out.transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
            // It was ended.
        }
    }

    private void start() throws IOException {
        int port = Daemons.freePort();
        Files.write(
                Files.createDirectory(root.resolve("server/files")).resolve("item"),
                new byte[1024]);
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

    private Load through() {
        List<String> load = Load.argv(CONNECTIONS, ROUND_SECONDS, "https://" + HOST + "/item");
        return Load.measured(inside(load.toArray(String[]::new)));
    }

    private Command inside(String... argv) {
        List<String> all = new ArrayList<>(List.of("exec", "bench", "--"));
        all.addAll(List.of(argv));
        return sallyport.sallyport(all.toArray(String[]::new));
    }

    private static boolean holds(boolean holds, String bar) {
        System.out.printf("  %s %s%n", holds ? "✓" : "✗", bar);
        return holds;
    }

    private static double median(List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        return sorted.get(sorted.size() / 2);
    }
}

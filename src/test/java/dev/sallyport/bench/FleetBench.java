package dev.sallyport.bench;

import dev.sallyport.config.Home;
import dev.sallyport.policy.SessionId;
import dev.sallyport.session.Session;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;

/// The store and the record of a fleet: as many gateways' stores and leases as one would have, with
/// a real PostgreSQL and without sandboxes, for a minute; then one of them ends. The size of the
/// record is measured with one real sandbox and multiplied.
public final class FleetBench {
    private static final int GATEWAYS = Run.sized(20, 4);
    private static final int SESSIONS_EACH = Run.sized(500, 50);
    private static final int SESSIONS = GATEWAYS * SESSIONS_EACH;
    private static final int SECONDS = Run.sized(60, 10);
    private static final int REQUESTS = Run.sized(400, 40);
    private static final int REQUESTS_PER_CONNECTION = 20;

    /// Each sandbox makes a request in so many seconds.
    private static final int REQUEST_EVERY_SECONDS = 10;

    private static final Duration SETTLE = Duration.ofSeconds(Run.sized(15, 2));
    private static final Duration TRY_AGAIN = Duration.ofSeconds(1);
    private static final Duration TAKE_MAX = Duration.ofMinutes(2);
    private static final double CERTIFICATE_EVERY_SECONDS = 20 * 60;

    private final Run run;
    private final List<FleetGateway> gateways = new ArrayList<>();

    private FleetBench(Run run) {
        this.run = run;
    }

    public static void main(String[] args) throws IOException {
        Run.bench("fleet", run -> new FleetBench(run).measure());
    }

    private void measure() throws Exception {
        System.out.println(
                "%d gateways, %d sandboxes, a request of each every %d s"
                        .formatted(GATEWAYS, SESSIONS, REQUEST_EVERY_SECONDS));
        String head = audit();
        FleetDatabase database = FleetDatabase.start(run);
        fill(database, head);
        minute(database);
        takeOver();
        calculated(
                "connections to the database, three of each gateway", "%d".formatted(3 * GATEWAYS));
        calculated(
                "certificates of sandboxes signed per second (each renewed after 20 minutes)",
                "%.1f".formatted(SESSIONS / CERTIFICATE_EVERY_SECONDS));
    }

    private static void measured(String what, String value) {
        System.out.printf("measured    %-78s %s%n", what, value);
    }

    private static void calculated(String what, String value) {
        System.out.printf("calculated  %-78s %s%n", what, value);
    }

    /// Real requests of a real sandbox to a host whose traffic is inspected, each judged and
    /// recorded.
    ///
    /// @return a head of that log
    private String audit() throws Exception {
        InspectedBench site = new InspectedBench(run);
        site.start();
        String urls =
                """
                for c in $(seq %d); do
                  for i in $(seq %d); do echo 'url = "%s"'; echo 'output = /dev/null'; done | curl -sf -K -
                done
                """
                        .formatted(
                                REQUESTS / REQUESTS_PER_CONNECTION,
                                REQUESTS_PER_CONNECTION,
                                InspectedBench.remote());
        site.exec(List.of("bash", "-ec", urls)).run().ok();
        site.sallyport().sallyport("down").run().ok();
        Home home = new Home(site.sallyport().home());
        List<String> lines =
                Files.readAllLines(home.auditLog()).stream()
                        .filter(line -> line.contains("\"kind\":\"egress."))
                        .toList();
        long bytes =
                lines.stream().mapToLong(l -> l.getBytes(StandardCharsets.UTF_8).length + 1L).sum();
        double each = (double) bytes / REQUESTS;
        measured(
                "audit log of one inspected request: lines, bytes",
                "%.2f, %.0f".formatted((double) lines.size() / REQUESTS, each));
        double perSecond = each * SESSIONS / REQUEST_EVERY_SECONDS;
        calculated(
                "audit logs of all: %.0f bytes x %d sandboxes / %d s"
                        .formatted(each, SESSIONS, REQUEST_EVERY_SECONDS),
                "%.2f MB/s, %.1f GB a day".formatted(perSecond / 1e6, perSecond * 86_400 / 1e9));
        calculated(
                "audit log of one gateway",
                "%.1f kB/s, %.2f GB a day"
                        .formatted(
                                perSecond / GATEWAYS / 1e3, perSecond / GATEWAYS * 86_400 / 1e9));
        return Files.readString(home.auditLog().resolveSibling("audit.head"));
    }

    private void fill(FleetDatabase database, String head) throws Exception {
        double empty = database.mebibytes();
        for (int i = 0; i < GATEWAYS; i++) {
            gateways.add(
                    run.using(
                            new FleetGateway(
                                    database.server().place(),
                                    i + 1,
                                    SESSIONS_EACH / REQUEST_EVERY_SECONDS,
                                    head)));
        }
        for (int i = 0; i < GATEWAYS; i++) {
            gateways.get(i).renew((double) i / GATEWAYS);
        }
        long began = System.nanoTime();
        List<Callable<Void>> fillings = new ArrayList<>();
        for (int i = 0; i < GATEWAYS; i++) {
            FleetGateway gateway = gateways.get(i);
            String prefix = "host" + i + ".box";
            fillings.add(
                    () -> {
                        gateway.fill(prefix, SESSIONS_EACH);
                        return null;
                    });
        }
        together(fillings);
        double seconds = (System.nanoTime() - began) / 1e9;
        measured(
                "sessions made per second, all gateways at once",
                "%.0f".formatted(SESSIONS / seconds));
        // Before anything of it is renewed it lies as close as it can.
        database.server().execute("VACUUM ANALYZE");
        measured(
                "the database before and with all sessions",
                "%.1f MiB, %.1f MiB".formatted(empty, database.mebibytes()));
        measured(
                "a session and its lease, with their indexes",
                "%.1f kB"
                        .formatted(
                                database.number(
                                                "SELECT pg_total_relation_size('session')"
                                                        + " + pg_total_relation_size('session_lease')")
                                        / 1e3
                                        / SESSIONS));
    }

    private static <T> List<T> together(List<Callable<T>> all) throws Exception {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<T> results = new ArrayList<>();
            for (Future<T> each : threads.invokeAll(all)) {
                results.add(each.get());
            }
            return results;
        }
    }

    private void minute(FleetDatabase database) throws Exception {
        for (int i = 0; i < GATEWAYS; i++) {
            gateways.get(i).begin((double) i / GATEWAYS);
        }
        LockSupport.parkNanos(SETTLE.toNanos());
        // Pages that are changed for the first time after it are in the log as a whole.
        database.server().execute("CHECKPOINT");
        gateways.forEach(
                gateway -> {
                    gateway.renewals.clear();
                    gateway.written.set(0);
                    gateway.rounds.clear();
                });
        FleetDatabase.Counters before = database.now();
        LockSupport.parkNanos(Duration.ofSeconds(SECONDS).toNanos());
        FleetDatabase.Counters after = database.now();
        requireNothingLost();
        measured("load of the machine meanwhile", "%.1f".formatted(Usage.load()));
        measured(
                "sandboxes whose use was written per second, of %d"
                        .formatted(SESSIONS / REQUEST_EVERY_SECONDS),
                "%.0f"
                        .formatted(
                                gateways.stream().mapToInt(g -> g.written.get()).sum()
                                        / after.seconds(before)));
        measured("statements per second", "%.0f".formatted(after.statementsPerSecond(before)));
        measured("transactions per second", "%.0f".formatted(after.commitsPerSecond(before)));
        measured(
                "write-ahead log, beginning with a checkpoint",
                "%.2f MB/s".formatted(after.walPerSecond(before) / 1e6));
        measured(
                "processor time of PostgreSQL",
                "%.1f s a minute".formatted(after.cpuPerMinute(before)));
        measured("the database at the end of it", "%.1f MiB".formatted(database.mebibytes()));
        measured(
                "renewal of %d leases, p50 / p99 / longest".formatted(SESSIONS_EACH),
                all(gateway -> gateway.renewals).toString());
        measured(
                "writing the use of %d sandboxes at once, each second, p50 / p99 / longest"
                        .formatted(SESSIONS_EACH / REQUEST_EVERY_SECONDS),
                all(gateway -> gateway.rounds).toString());
        calculated(
                "rows of leases renewed per second, in %.1f statements".formatted(GATEWAYS / 5.0),
                "%d".formatted(SESSIONS / 5));
    }

    private void requireNothingLost() throws Exception {
        for (FleetGateway gateway : gateways) {
            Exception failed = gateway.failure.get();
            if (failed != null) {
                throw failed;
            }
            if (!gateway.lost.isEmpty()) {
                throw new AssertionError("leases were lost: " + gateway.lost.size());
            }
        }
    }

    /// What is measured of a gateway.
    private interface Measured {
        Timings of(FleetGateway gateway);
    }

    private Timings all(Measured kind) {
        Timings all = new Timings();
        gateways.forEach(gateway -> all.addAll(kind.of(gateway)));
        return all;
    }

    /// The others go on with what they do, and try each session of it once a second.
    private void takeOver() throws Exception {
        FleetGateway dead = gateways.getFirst();
        List<FleetGateway> others = gateways.subList(1, GATEWAYS);
        List<Session> orphans = dead.sessions();
        dead.die();
        long died = System.nanoTime();
        List<Callable<List<Double>>> takings = new ArrayList<>();
        for (int i = 0; i < others.size(); i++) {
            FleetGateway taker = others.get(i);
            List<SessionId> share = new ArrayList<>();
            for (int k = i; k < orphans.size(); k += others.size()) {
                share.add(orphans.get(k).id());
            }
            takings.add(() -> take(dead, taker, share, died));
        }
        List<Double> taken = together(takings).stream().flatMap(List::stream).sorted().toList();
        measured(
                "a gateway of %d sandboxes ends: first and last taken by the other %d after"
                        .formatted(orphans.size(), others.size()),
                "%.1f s, %.1f s".formatted(taken.getFirst(), taken.getLast()));
        measured(
                "one attempt to take, p50 / p99 / longest",
                all(gateway -> gateway.takes).toString());
        for (Session orphan : orphans) {
            if (!dead.isFenced(orphan)) {
                throw new AssertionError("the gateway that ended can still write");
            }
        }
        measured(
                "writes of the one that ended that are refused afterwards",
                "%d of %d".formatted(orphans.size(), orphans.size()));
    }

    /// When each was taken, in seconds after the end.
    private static List<Double> take(
            FleetGateway dead, FleetGateway taker, List<SessionId> share, long died)
            throws Exception {
        List<SessionId> left = new ArrayList<>(share);
        List<Double> when = new ArrayList<>();
        while (!left.isEmpty()) {
            if (System.nanoTime() - died > TAKE_MAX.toNanos()) {
                throw new AssertionError(left.size() + " sessions were not taken");
            }
            for (SessionId id : List.copyOf(left)) {
                if (taker.take(id)) {
                    left.remove(id);
                    when.add((System.nanoTime() - died) / 1e9);
                    if (dead.holds(id)) {
                        throw new AssertionError("two gateways have " + id);
                    }
                }
            }
            LockSupport.parkNanos(TRY_AGAIN.toNanos());
        }
        return when;
    }
}

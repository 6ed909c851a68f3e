package dev.sallyport.bench;

import dev.sallyport.fixture.Await;
import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.Installation;
import dev.sallyport.fixture.Processes;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;

/// Breaks each part of a fleet in turn while two sandboxes ask, and says for how long nothing was
/// served. It fails when a request arrived upstream that no gateway had recorded, or that two had,
/// or when a session is lost.
public final class FleetDrill {
    private static final Duration ALL_MAX = Duration.ofMinutes(10);
    private static final Duration RECOVERY_MAX = Duration.ofMinutes(2);
    private static final Duration QUIET = Duration.ofSeconds(Run.sized(10, 3));

    /// Longer than a gateway relies on its leases.
    private static final Duration DATABASE_AWAY = Duration.ofSeconds(Run.sized(40, 5));

    /// Then a gateway that cannot reach the database has stopped to serve.
    private static final Duration LEASES_OVER = Duration.ofSeconds(25);

    private final long deadline = System.nanoTime() + ALL_MAX.toNanos();
    private final DrillFleet fleet;
    private final List<Step> steps = new ArrayList<>();
    private final List<String> wrong = new ArrayList<>();

    /// Something that was done to the fleet.
    ///
    /// @param began in microseconds since 1970, like `ended`
    /// @param servedBy who served each sandbox in the end
    private record Step(String what, long began, long ended, List<String> servedBy) {}

    /// What is done.
    private interface Fault {
        void happen() throws Exception;
    }

    private FleetDrill(DrillFleet fleet) {
        this.fleet = fleet;
    }

    public static void main(String[] args) throws IOException {
        Run.bench("drill", run -> new FleetDrill(new DrillFleet(run)).drill());
    }

    private void drill() throws Exception {
        String sessions = DrillFleet.sessions(fleet.primary());
        for (DrillAsker asker : fleet.askers()) {
            asker.begin();
        }
        Await.until("both are served", RECOVERY_MAX, () -> areServed(0));
        System.out.printf("load before %.1f%n", Usage.load());
        step("nothing, for %d s".formatted(QUIET.toSeconds()), () -> pause(QUIET));
        if (!Run.QUICK) {
            network();
        }
        processes();
        database();
        System.out.printf("load after %.1f%n", Usage.load());
        for (DrillAsker asker : fleet.askers()) {
            asker.end();
        }
        table();
        traffic();
        sessions(sessions);
        if (!wrong.isEmpty()) {
            throw new AssertionError(String.join("; ", wrong));
        }
    }

    /// Sandbox one's gateway is meant wherever one is.
    private void network() throws Exception {
        DrillFleet.Gateway first = servingOne();
        step("a gateway's cable is pulled", first.machine()::cut);
        step("it is put back", first.machine()::join);
        DrillFleet.Gateway second = servingOne();
        step(
                "a gateway is closed (`gateway --close`)",
                () -> second.installation().sallyport("gateway", "--close").run().ok());
        step("it is opened again", second::listen);
    }

    private void processes() throws Exception {
        step("a gateway process is killed", () -> servingOne().installation().killGateway());
        Installation machine = fleet.askers().getFirst().machine();
        step(
                "the sidecar of sandbox one is killed",
                () -> Processes.kill(Usage.children(machine, "internal-sidecar").getFirst()));
        if (!Run.QUICK) {
            step(
                    "a gateway's daemon is killed, and started by a command",
                    () -> restart(servingOne().installation()));
            step(
                    "the daemon of sandbox one is killed, and started by a command",
                    () -> restart(machine));
        }
    }

    private static void restart(Installation of) {
        Processes.kill(Usage.processesOf(of).getFirst());
        of.sallyport("list").run().ok();
    }

    private void database() throws Exception {
        step(
                "the database is stopped for %d s".formatted(DATABASE_AWAY.toSeconds()),
                () -> {
                    fleet.primary().down();
                    pause(DATABASE_AWAY);
                    fleet.primary().up();
                });
        step(
                "the database's machine is lost, its standby promoted",
                () -> {
                    fleet.failOver();
                    pause(LEASES_OVER);
                });
    }

    private DrillFleet.Gateway servingOne() throws IOException {
        return fleet.serving(fleet.askers().getFirst()).orElseThrow();
    }

    private static void pause(Duration time) {
        LockSupport.parkNanos(time.toNanos());
    }

    /// Does it, and waits until both sandboxes are served again.
    private void step(String what, Fault fault) throws Exception {
        if (left() < 0) {
            wrong.add("no time was left for: " + what);
            return;
        }
        long began = now();
        try {
            fault.happen();
            long done = now();
            Duration limit = Duration.ofNanos(Math.min(left(), RECOVERY_MAX.toNanos()));
            Await.until("both are served again", limit, () -> areServed(done));
        } catch (AssertionError e) {
            e.printStackTrace();
            wrong.add(what + ": " + String.valueOf(e.getMessage()).lines().findFirst().orElse(""));
        }
        List<String> by = new ArrayList<>();
        for (DrillAsker asker : fleet.askers()) {
            by.add(fleet.serving(asker).map(DrillFleet.Gateway::name).orElse("nobody"));
        }
        steps.add(new Step(what, began, now(), by));
        System.out.printf("%s: over after %.1f s%n", what, (now() - began) / 1e6);
    }

    private long left() {
        return deadline - System.nanoTime();
    }

    private static long now() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    }

    private boolean areServed(long since) throws IOException {
        for (DrillAsker asker : fleet.askers()) {
            if (!asker.isServed(since)) {
                return false;
            }
        }
        return true;
    }

    private void table() throws IOException {
        System.out.println(
                """

                | what happens | one, two: longest time without an answer | requests, failed | longest wait of one that was served | served afterwards by |
                |---|---|---|---|---|""");
        for (int i = 0; i < steps.size(); i++) {
            Step step = steps.get(i);
            long until = i + 1 < steps.size() ? steps.get(i + 1).began() : Long.MAX_VALUE;
            List<String> gaps = new ArrayList<>();
            List<DrillAsker.Asked> all = new ArrayList<>();
            for (DrillAsker asker : fleet.askers()) {
                List<DrillAsker.Asked> asked = asker.asked();
                gaps.add("%.1f s".formatted(gap(asked, step.began(), until) / 1e6));
                asked.stream()
                        .filter(one -> one.ended() >= step.began() && one.ended() < until)
                        .forEach(all::add);
            }
            System.out.printf(
                    "| %s | %s | %d, %d | %.1f s | %s |%n",
                    step.what(),
                    String.join(", ", gaps),
                    all.size(),
                    all.stream().filter(one -> !one.isServed()).count(),
                    longest(all) / 1e6,
                    String.join(", ", step.servedBy()));
        }
        System.out.println();
    }

    /// The longest time between two good answers, of which the second came within these times.
    private static long gap(List<DrillAsker.Asked> asked, long from, long until) {
        List<Long> good =
                asked.stream()
                        .filter(DrillAsker.Asked::isServed)
                        .map(DrillAsker.Asked::ended)
                        .sorted()
                        .toList();
        long longest = 0;
        for (int i = 1; i < good.size(); i++) {
            if (good.get(i) >= from && good.get(i) < until) {
                longest = Math.max(longest, good.get(i) - good.get(i - 1));
            }
        }
        return longest;
    }

    private static long longest(List<DrillAsker.Asked> all) {
        return all.stream()
                .filter(DrillAsker.Asked::isServed)
                .mapToLong(one -> one.ended() - one.began())
                .max()
                .orElse(0);
    }

    private void traffic() throws IOException {
        List<Arrivals.Arrival> arrived = fleet.upstream().all();
        List<DrillVerdict.Recorded> recorded = fleet.recorded();
        DrillVerdict verdict = new DrillVerdict(arrived, recorded);
        outcomes(arrived);
        for (DrillFleet.Gateway gateway : fleet.gateways()) {
            String address = gateway.machine().address();
            long sent = arrived.stream().filter(one -> one.from().equals(address)).count();
            System.out.printf(
                    "gateway %s: %d allowed, %d arrived upstream%n",
                    gateway.name(),
                    recorded.stream().filter(one -> one.gateway().equals(address)).count(),
                    sent);
            if (sent == 0) {
                wrong.add("gateway " + gateway.name() + " served nothing, so nothing was shown");
            }
        }
        System.out.printf("allowed, and never sent: %d%n", verdict.neverSent());
        require("arrived upstream and was not recorded before", verdict.unrecorded());
        require("allowed or sent by two gateways", verdict.twice());
        require("arrived more often than it was allowed", verdict.repeated());
    }

    private void outcomes(List<Arrivals.Arrival> arrived) throws IOException {
        Set<String> there = new HashSet<>();
        arrived.forEach(one -> there.add(one.number()));
        TreeMap<String, Integer> codes = new TreeMap<>();
        List<String> fromNowhere = new ArrayList<>();
        int unknown = 0;
        for (DrillAsker asker : fleet.askers()) {
            unknown += asker.asked().getLast().number() - asker.asked().size();
            for (DrillAsker.Asked one : asker.asked()) {
                codes.merge(one.code(), 1, Integer::sum);
                if (one.isServed() && !there.contains(asker.prefix() + one.number())) {
                    fromNowhere.add(asker.prefix() + one.number());
                }
            }
        }
        System.out.printf("requests by status, 000 is no answer: %s%n", codes);
        System.out.printf("requests of which nobody knows how they ended: %d%n", unknown);
        require("answered and never arrived", fromNowhere);
    }

    private void require(String none, List<String> found) {
        System.out.printf("%s: %s%n", none, DrillVerdict.shown(found));
        if (!found.isEmpty()) {
            wrong.add(none + ": " + DrillVerdict.shown(found));
        }
    }

    private void sessions(String before) throws IOException {
        String after = DrillFleet.sessions(fleet.standby());
        System.out.printf("sessions before: %s; after: %s%n", before, after);
        if (!after.equals(before) || before.isEmpty()) {
            wrong.add("a session is lost");
        }
        for (DrillAsker asker : fleet.askers()) {
            String name = asker.name() + "." + DrillAsker.SANDBOX;
            List<String> at = new ArrayList<>();
            for (DrillFleet.Gateway gateway : fleet.gateways()) {
                if (gateway.installation().has(name)) {
                    at.add(gateway.name());
                }
            }
            System.out.printf("%s is at %s%n", name, at);
            if (at.size() != 1) {
                wrong.add(name + " is at " + at);
            }
        }
        for (DrillFleet.Gateway gateway : fleet.gateways()) {
            verify(gateway);
        }
    }

    /// The store is asked for it, too.
    private void verify(DrillFleet.Gateway gateway) {
        Command.Result verified = gateway.installation().sallyport("audit", "verify").run();
        System.out.printf("audit verify at %s: %s%n", gateway.name(), verified.all().strip());
        if (verified.exit() != 0) {
            wrong.add("the record of gateway " + gateway.name() + " was not found whole");
        }
    }
}

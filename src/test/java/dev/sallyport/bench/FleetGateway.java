package dev.sallyport.bench;

import dev.sallyport.audit.AuditMark;
import dev.sallyport.config.StorePlace;
import dev.sallyport.policy.SessionId;
import dev.sallyport.session.BenchGateway;
import dev.sallyport.session.Moment;
import dev.sallyport.session.Session;
import dev.sallyport.session.SessionStore;
import dev.sallyport.session.SessionStore.StaleLeaseException;
import dev.sallyport.session.StoreException;
import dev.sallyport.session.Usage;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// Does to a real store what a daemon with many sandboxes does to it, as often: renews leases every
/// five seconds, writes the use of sandboxes every second, marks the audit log every second, tells
/// its head every ten, and looks at all sessions every minute. No sandbox is there.
final class FleetGateway implements AutoCloseable {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration HEAD = Duration.ofSeconds(10);
    private static final Duration LOOK = Duration.ofMinutes(1);

    /// One request of an agent to its model, about.
    private static final Usage USED = new Usage(1, 4_000, 40_000);

    final Timings renewals = new Timings();
    final Timings rounds = new Timings();

    /// Sandboxes whose use was written, each time.
    final AtomicInteger written = new AtomicInteger();

    final Timings takes = new Timings();
    final Set<SessionId> lost = ConcurrentHashMap.newKeySet();
    final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();

    private final BenchGateway gateway;
    private final List<Session> sessions = new ArrayList<>();
    private final ScheduledExecutorService leases = threads(1);
    private final ScheduledExecutorService clock = threads(2);
    private final int usedEachSecond;
    private final String head;
    private int next;
    private long marked;

    /// @param usedEachSecond how many of its sandboxes
    /// @param head a line as a witness gets it
    FleetGateway(StorePlace place, int number, int usedEachSecond, String head)
            throws StoreException {
        this.gateway = new BenchGateway(place, number);
        this.usedEachSecond = usedEachSecond;
        this.head = head;
        store().leases().onLost(lost::add);
    }

    private static ScheduledExecutorService threads(int count) {
        return Executors.newScheduledThreadPool(count, Thread.ofPlatform().daemon().factory());
    }

    private SessionStore store() {
        return gateway.store();
    }

    List<Session> sessions() {
        return List.copyOf(sessions);
    }

    void fill(String prefix, int count) throws Exception {
        for (int i = 0; i < count; i++) {
            Session session = BenchGateway.session(prefix + i);
            store().insert(session);
            sessions.add(session);
        }
    }

    /// From its start on. Not all at the same moment, as daemons are not started at the same
    /// moment.
    ///
    /// @param place of all gateways, 0 to 1
    void renew(double place) {
        every(leases, BenchGateway.RENEWAL, place, () -> renewals.time(gateway::renew));
    }

    /// Everything else, for the sessions that it has by now.
    ///
    /// @param place of all gateways, 0 to 1
    void begin(double place) {
        every(clock, SECOND, place, this::use);
        every(clock, SECOND, place, this::mark);
        every(clock, HEAD, place, () -> store().witness().tell(head));
        every(clock, LOOK, place, this::look);
    }

    private void every(
            ScheduledExecutorService by, Duration period, double place, Timings.Step step) {
        long nanos = period.toNanos();
        var _ =
                by.scheduleWithFixedDelay(
                        () -> attempt(step), (long) (place * nanos), nanos, TimeUnit.NANOSECONDS);
    }

    private void attempt(Timings.Step step) {
        try {
            step.run();
        } catch (Exception e) {
            failure.compareAndSet(null, e);
        }
    }

    private void use() throws Exception {
        Map<SessionId, Usage> used = new HashMap<>();
        for (int i = 0; i < usedEachSecond; i++) {
            used.put(sessions.get(next++ % sessions.size()).id(), USED);
        }
        rounds.time(() -> store().recordUse(used, Moment.now()));
        written.addAndGet(used.size());
    }

    private void mark() throws IOException {
        marked += usedEachSecond;
        store().markAudit(new AuditMark(marked, "0".repeat(64), "0".repeat(64)));
    }

    private void look() throws StoreException {
        store().recordLook(store().contents().sessions(), Moment.now());
    }

    /// It asks nobody for anything any more, and gives nothing back.
    void die() {
        leases.shutdownNow();
        clock.shutdownNow();
    }

    boolean holds(SessionId id) {
        return store().leases().holds(id);
    }

    boolean take(SessionId id) throws Exception {
        boolean[] taken = new boolean[1];
        takes.time(() -> taken[0] = store().leases().take(id));
        return taken[0];
    }

    /// Whether a write of it is refused because somebody else has the session.
    boolean isFenced(Session session) throws StoreException {
        try {
            store().update(session);
            return false;
        } catch (StaleLeaseException e) {
            return true;
        }
    }

    @Override
    public void close() throws StoreException {
        die();
        gateway.close();
    }
}

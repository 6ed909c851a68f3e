package dev.sallyport.warden;

import dev.sallyport.policy.SessionId;
import dev.sallyport.session.Moment;
import dev.sallyport.session.Session;
import dev.sallyport.session.SessionStore;
import dev.sallyport.session.StoreException;
import dev.sallyport.session.Usage;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/// Collects what sessions used and writes it to the store once a second, so that a busy sandbox
/// does not cost one disk write per request.
final class UsageBuffer {
    private static final System.Logger LOG = System.getLogger(UsageBuffer.class.getName());

    private final SessionStore store;
    private final Moment.Source clock;
    private final Map<SessionId, Usage> pending = new ConcurrentHashMap<>();
    private volatile Consumer<SessionId> listener = _ -> {};

    /// Held while usage moves from the one place to the other and while both are added up, so that
    /// none is counted twice or missed.
    private final Lock moving = new ReentrantLock();

    UsageBuffer(SessionStore store, Moment.Source clock) {
        this.store = store;
        this.clock = clock;
    }

    /// Who is told of each use; must not block.
    void onUse(Consumer<SessionId> told) {
        listener = told;
    }

    void add(SessionId session, Usage used) {
        pending.merge(session, used, Usage::plus);
        listener.accept(session);
    }

    /// All that a session has used, whether it is in the store yet or not.
    Usage total(SessionId session) {
        moving.lock();
        try {
            Usage waiting = pending.getOrDefault(session, Usage.NONE);
            return store.byId(session).map(Session::usage).orElse(Usage.NONE).plus(waiting);
        } catch (StoreException e) {
            LOG.log(System.Logger.Level.ERROR, "usage of " + session + " cannot be read", e);
            return Usage.UNKNOWN;
        } finally {
            moving.unlock();
        }
    }

    /// What a session has used and the store does not know yet.
    Usage waiting(SessionId session) {
        return pending.getOrDefault(session, Usage.NONE);
    }

    void flush() {
        for (SessionId session : Set.copyOf(pending.keySet())) {
            move(session);
        }
    }

    private void move(SessionId session) {
        moving.lock();
        try {
            Usage used = pending.remove(session);
            if (used != null) {
                write(session, used);
            }
        } finally {
            moving.unlock();
        }
    }

    private void write(SessionId session, Usage used) {
        try {
            store.recordUse(session, used, clock.now());
        } catch (StoreException | RuntimeException | OutOfMemoryError e) {
            // Whatever is thrown out of here would be the end of all writing.
            LOG.log(System.Logger.Level.ERROR, "usage of " + session + " waits in memory", e);
            pending.merge(session, used, Usage::plus);
        }
    }
}

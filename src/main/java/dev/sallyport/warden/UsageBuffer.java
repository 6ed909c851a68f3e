package dev.sallyport.warden;

import dev.sallyport.policy.SessionId;
import dev.sallyport.session.Moment;
import dev.sallyport.session.Session;
import dev.sallyport.session.SessionStore;
import dev.sallyport.session.StoreAwayException;
import dev.sallyport.session.StoreException;
import dev.sallyport.session.Usage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/// Collects what sessions used and writes it to the store once a second, so that a busy sandbox
/// does not cost one disk write per request, and many do not cost more than one.
final class UsageBuffer {
    private static final System.Logger LOG = System.getLogger(UsageBuffer.class.getName());

    /// Sandboxes whose use is written at once; whoever asks for a sum waits for no more.
    private static final int TOGETHER_MAX = 500;

    /// So many tries in a row may fail before what is left stays together until the next time; to
    /// find one among 500 takes ten.
    private static final int FAILURES_MAX = 32;

    /// A row that somebody else has locked costs seconds for each try.
    private static final Duration HALVING_MAX = Duration.ofSeconds(10);

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

    /// What cannot be written keeps nothing else from being written.
    void flush() {
        List<SessionId> waiting = new ArrayList<>(pending.keySet());
        // What is left over this time comes sooner another time.
        Collections.shuffle(waiting);
        Flush flush = new Flush(System.nanoTime());
        for (int i = 0; i < waiting.size(); i += TOGETHER_MAX) {
            flush.move(waiting.subList(i, Math.min(waiting.size(), i + TOGETHER_MAX)));
        }
    }

    private final class Flush {
        private final long begun;
        private int failures;

        Flush(long begun) {
            this.begun = begun;
        }

        /// Whatever is thrown out of here would be the end of all writing.
        void move(List<SessionId> sessions) {
            try {
                write(sessions);
                failures = 0;
            } catch (StoreAwayException | OutOfMemoryError e) {
                stays(sessions, e);
            } catch (StoreException | RuntimeException e) {
                failures++;
                if (sessions.size() == 1 || isEnough()) {
                    stays(sessions, e);
                } else {
                    int half = sessions.size() / 2;
                    move(sessions.subList(0, half));
                    move(sessions.subList(half, sessions.size()));
                }
            }
        }

        /// Then it is not the fault of a few.
        private boolean isEnough() {
            return failures >= FAILURES_MAX || System.nanoTime() - begun > HALVING_MAX.toNanos();
        }

        private static void stays(List<SessionId> sessions, Throwable reason) {
            String whose =
                    sessions.size() == 1
                            ? sessions.getFirst().toString()
                            : sessions.size() + " sandboxes";
            LOG.log(System.Logger.Level.ERROR, "usage of " + whose + " waits in memory", reason);
        }
    }

    /// All of it, or it is as before.
    private void write(List<SessionId> sessions) throws StoreException {
        moving.lock();
        try {
            Map<SessionId, Usage> moved = new HashMap<>();
            try {
                for (SessionId session : sessions) {
                    pending.computeIfPresent(
                            session,
                            (_, used) -> {
                                moved.put(session, used);
                                return null;
                            });
                }
                store.recordUse(moved, clock.now());
                moved.clear();
            } finally {
                moved.forEach((session, used) -> pending.merge(session, used, Usage::plus));
            }
        } finally {
            moving.unlock();
        }
    }
}

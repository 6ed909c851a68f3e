package dev.sallyport.gatehouse;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/// Those who wait at the gatehouse, one after the other for each account, so that nobody's crowd
/// keeps another from being served.
final class Knocks {
    private static final int WAITING_MAX = 16;
    private static final int WAIT_SECONDS_MAX = 60;

    private final Map<Integer, Line> lines = new ConcurrentHashMap<>();

    private static final class Line {
        private final ReentrantLock lock = new ReentrantLock(true);
        private final AtomicInteger waiting = new AtomicInteger(1);

        Line longer() {
            waiting.incrementAndGet();
            return this;
        }

        boolean comesUp() {
            try {
                return lock.tryLock(WAIT_SECONDS_MAX, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }

        /// Whether nobody is left in it.
        boolean shorter() {
            return waiting.decrementAndGet() == 0;
        }
    }

    /// One account's turn, or that there is none.
    interface Turn extends AutoCloseable {
        boolean granted();

        @Override
        void close();
    }

    /// Blocks until those before are served.
    Turn take(int uid) {
        Line line = lines.compute(uid, (_, old) -> old == null ? new Line() : old.longer());
        boolean granted = line.waiting.get() <= WAITING_MAX && line.comesUp();
        return new Turn() {
            @Override
            public boolean granted() {
                return granted;
            }

            @Override
            public void close() {
                if (granted) {
                    line.lock.unlock();
                }
                lines.computeIfPresent(uid, (_, current) -> current.shorter() ? null : current);
            }
        };
    }
}

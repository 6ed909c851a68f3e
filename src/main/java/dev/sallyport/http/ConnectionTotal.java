package dev.sallyport.http;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/// Counts the connections of all sandboxes together.
public final class ConnectionTotal {
    private final int max;
    private final AtomicInteger open = new AtomicInteger();
    private final Set<Runnable> waiting = ConcurrentHashMap.newKeySet();

    public ConnectionTotal(int max) {
        this.max = max;
    }

    public int open() {
        return open.get();
    }

    public int max() {
        return max;
    }

    void opened() {
        open.incrementAndGet();
    }

    void closed() {
        open.decrementAndGet();
        for (Runnable gate : Set.copyOf(waiting)) {
            if (waiting.remove(gate)) {
                gate.run();
            }
        }
    }

    /// When the answer is yes, `whenFree` runs once, from any thread, after a connection closed.
    boolean isReached(Runnable whenFree) {
        if (open.get() < max) {
            return false;
        }
        waiting.add(whenFree);
        // A connection may have closed between the look and the entry.
        if (open.get() < max) {
            waiting.remove(whenFree);
            return false;
        }
        return true;
    }

    void forget(Runnable whenFree) {
        waiting.remove(whenFree);
    }
}

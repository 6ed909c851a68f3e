package dev.sallyport.http;

import io.github.bucket4j.Bucket;
import io.netty.channel.Channel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/// The connections of one sandbox, on all of its listeners together: a sandbox has many listeners
/// when ports are published or allowed, and must not have more connections for that. From any
/// thread.
public final class ConnectionShare {
    /// How many connections there may be at once, and how many new ones per second.
    public record Caps(int connectionsMax, int acceptsPerSecondMax) {}

    /// What becomes of a connection that wants in.
    enum Entry {
        IN,
        /// There are enough. One that waits itself is being closed for it, if there is one
        /// ([Spare]).
        FULL,
        TOO_FAST
    }

    private final Caps caps;
    private final Bucket accepts;
    private final Set<Channel> open = new LinkedHashSet<>();
    private final Set<Channel> evicted = new HashSet<>();
    private final Set<Runnable> waiting = new LinkedHashSet<>();

    public ConnectionShare(Caps caps) {
        this.caps = caps;
        this.accepts =
                Bucket.builder()
                        .addLimit(
                                limit ->
                                        limit.capacity(caps.connectionsMax())
                                                .refillGreedy(
                                                        caps.acceptsPerSecondMax(),
                                                        Duration.ofSeconds(1)))
                        .build();
    }

    /// @param whenFree runs once, from any thread, after a connection closed, when it is full
    synchronized Entry enter(Channel connection, Runnable whenFree) {
        if (open.size() >= caps.connectionsMax()) {
            waiting.add(whenFree);
            Spare.slowest(open.stream().filter(other -> !evicted.contains(other)))
                    .ifPresent(this::evict);
            return Entry.FULL;
        }
        if (!accepts.tryConsume(1)) {
            return Entry.TOO_FAST;
        }
        open.add(connection);
        return Entry.IN;
    }

    private void evict(Channel connection) {
        evicted.add(connection);
        Spare.close(connection);
    }

    void left(Channel connection) {
        List<Runnable> told;
        synchronized (this) {
            open.remove(connection);
            evicted.remove(connection);
            told = new ArrayList<>(waiting);
            waiting.clear();
        }
        told.forEach(Runnable::run);
    }

    synchronized int size() {
        return open.size();
    }

    synchronized void forget(Runnable whenFree) {
        waiting.remove(whenFree);
    }
}

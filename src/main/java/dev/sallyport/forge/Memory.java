package dev.sallyport.forge;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/// Facts that are kept for a while, and not too many of them: the oldest go first. Used from event
/// loops and workers.
final class Memory<K, V> {
    private record Entry<V>(V fact, long untilNanos) {}

    private final int entriesMax;
    private final LongSupplier nanos;
    private final Map<K, Entry<V>> entries = new LinkedHashMap<>();

    /// @param nanos a clock that is never set
    Memory(int entriesMax, LongSupplier nanos) {
        this.entriesMax = entriesMax;
        this.nanos = nanos;
    }

    synchronized void put(K key, V fact, Duration life) {
        entries.remove(key);
        entries.put(key, new Entry<>(fact, nanos.getAsLong() + life.toNanos()));
        if (entries.size() > entriesMax) {
            entries.remove(entries.keySet().iterator().next());
        }
    }

    synchronized Optional<V> get(K key) {
        Entry<V> entry = entries.get(key);
        if (entry == null) {
            return Optional.empty();
        }
        if (nanos.getAsLong() - entry.untilNanos() >= 0) {
            entries.remove(key);
            return Optional.empty();
        }
        return Optional.of(entry.fact());
    }
}

package dev.sallyport.host;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/// Who did not answer lately, and is asked after all the others. Forgets by itself.
///
/// @param since when that was, by the clock
/// @param nanos a clock like [System#nanoTime]
record Silent(Map<String, Long> since, LongSupplier nanos) {
    static final Duration FOR = Duration.ofSeconds(10);

    Silent(LongSupplier nanos) {
        this(new ConcurrentHashMap<>(), nanos);
    }

    void add(String address) {
        since.values().removeIf(this::isOver);
        since.put(address, nanos.getAsLong());
    }

    void remove(String address) {
        since.remove(address);
    }

    boolean contains(String address) {
        Long known = since.get(address);
        return known != null && !isOver(known);
    }

    private boolean isOver(long time) {
        return nanos.getAsLong() - time >= FOR.toNanos();
    }
}

package dev.sallyport.warden;

import java.time.Duration;
import java.util.function.LongSupplier;

/// When this gateway saw last what others with the same store have changed. What is older than
/// [#MAX] says nothing about who may come in.
final class StoreSight {
    static final Duration MAX = Duration.ofSeconds(20);

    private final boolean shared;
    private final LongSupplier nanos;
    private volatile long seen;

    /// @param shared whether there can be others
    /// @param nanos a clock that nobody sets
    StoreSight(boolean shared, LongSupplier nanos) {
        this.shared = shared;
        this.nanos = nanos;
        this.seen = nanos.getAsLong();
    }

    /// When a look begins.
    long now() {
        return nanos.getAsLong();
    }

    /// All that had changed by then had its effect.
    void seen(long then) {
        seen = then;
    }

    boolean isOld() {
        return shared && nanos.getAsLong() - seen > MAX.toNanos();
    }
}

package dev.sallyport.audit;

import io.github.bucket4j.TimeMeter;
import java.util.function.LongSupplier;

/// The time by which rates are counted.
///
/// @param nanos a clock that is never set
public record Meter(LongSupplier nanos) implements TimeMeter {
    @Override
    public long currentTimeNanos() {
        return nanos.getAsLong();
    }

    @Override
    public boolean isWallClockBased() {
        return false;
    }
}

package dev.sallyport.forge;

import dev.sallyport.config.Limits;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.TimeMeter;
import java.time.Duration;
import java.util.function.LongSupplier;

/// How often one sandbox may change something. People read what it writes, and the host counts it
/// against the account.
final class WriteRate {
    private final Bucket bucket;

    /// @param nanos a clock that is never set
    WriteRate(Limits.Api limits, LongSupplier nanos) {
        bucket =
                Bucket.builder()
                        .addLimit(
                                limit ->
                                        limit.capacity(limits.writesPerMinutePerSandboxMax())
                                                .refillGreedy(
                                                        limits.writesPerMinutePerSandboxMax(),
                                                        Duration.ofMinutes(1)))
                        .addLimit(
                                limit ->
                                        limit.capacity(limits.writesPerHourPerSandboxMax())
                                                .refillGreedy(
                                                        limits.writesPerHourPerSandboxMax(),
                                                        Duration.ofHours(1)))
                        .withCustomTimePrecision(new Meter(nanos))
                        .build();
    }

    /// Counts one; when the answer is no, nothing was counted.
    boolean take() {
        return bucket.tryConsume(1);
    }

    private record Meter(LongSupplier nanos) implements TimeMeter {
        @Override
        public long currentTimeNanos() {
            return nanos.getAsLong();
        }

        @Override
        public boolean isWallClockBased() {
            return false;
        }
    }
}

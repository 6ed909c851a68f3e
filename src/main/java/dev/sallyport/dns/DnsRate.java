package dev.sallyport.dns;

import dev.sallyport.config.Limits;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.TimeMeter;
import java.time.Duration;

/// How many questions one sandbox may ask per second, over UDP and TCP together.
public final class DnsRate {
    private final Bucket bucket;

    public DnsRate(Limits.Dns limits) {
        this(limits, TimeMeter.SYSTEM_NANOTIME);
    }

    DnsRate(Limits.Dns limits, TimeMeter time) {
        int perSecond = limits.queriesPerSecondPerSandboxMax();
        this.bucket =
                Bucket.builder()
                        .withCustomTimePrecision(time)
                        .addLimit(
                                limit ->
                                        limit.capacity(perSecond)
                                                .refillGreedy(perSecond, Duration.ofSeconds(1)))
                        .build();
    }

    boolean admits() {
        return bucket.tryConsume(1);
    }
}

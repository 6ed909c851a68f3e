package dev.sallyport.http;

import dev.sallyport.config.Limits;
import dev.sallyport.policy.Refusal;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.TimeMeter;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/// How many requests one sandbox may have: at once, per second, and together with all others.
public final class RequestQuota {
    /// Requests in flight of the whole gateway.
    public static final class Total {
        private final int max;
        private final AtomicInteger inFlight = new AtomicInteger();

        public Total(Limits.Sharing limits) {
            this.max = limits.requestsInFlightTotalMax();
        }
    }

    private final Total total;
    private final int max;
    private final AtomicInteger inFlight = new AtomicInteger();
    private final Bucket rate;

    public RequestQuota(Limits.Sharing limits, Total total) {
        this(limits, total, TimeMeter.SYSTEM_NANOTIME);
    }

    RequestQuota(Limits.Sharing limits, Total total, TimeMeter time) {
        this.total = total;
        this.max = limits.requestsInFlightPerSandboxMax();
        int perSecond = limits.requestsPerSecondPerSandboxMax();
        this.rate =
                Bucket.builder()
                        .withCustomTimePrecision(time)
                        .addLimit(
                                limit ->
                                        limit.capacity(perSecond)
                                                .refillGreedy(perSecond, Duration.ofSeconds(1)))
                        .build();
    }

    /// Takes a place for one request, or says why there is none. Who gets a place calls [#leave]
    /// once.
    Optional<Refusal> enter() {
        if (!rate.tryConsume(1) || !take(inFlight, max)) {
            return Optional.of(Refusal.TOO_MANY_REQUESTS);
        }
        if (!take(total.inFlight, total.max)) {
            inFlight.decrementAndGet();
            return Optional.of(Refusal.GATEWAY_BUSY);
        }
        return Optional.empty();
    }

    void leave() {
        inFlight.decrementAndGet();
        total.inFlight.decrementAndGet();
    }

    private static boolean take(AtomicInteger counter, int max) {
        int before = counter.getAndUpdate(n -> n < max ? n + 1 : n);
        return before < max;
    }

    int inFlightMax() {
        return max;
    }

    int inFlight() {
        return inFlight.get();
    }
}

package dev.sallyport.warden;

import dev.sallyport.fleet.HostId;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.TimeMeter;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;

/// How much one host may ask for, at once and in a while. A request that counts keeps all gateways
/// of the store from every other change for a moment: no host gets more of that than its share.
final class HostTurns {
    static final int AT_ONCE_MAX = 16;

    /// As many as the sandboxes of a host may need when all of them begin.
    static final int BURST_MAX = 600;

    private static final int PER_MINUTE_MAX = 200;

    /// At once, too: one for each sandbox with an agent.
    static final int LOGINS_PER_MINUTE_MAX = 30;

    /// As many hosts as there may be.
    private static final int SHARES_KEPT = 3_000;

    private final Map<HostId, Share> shares = new ConcurrentHashMap<>();
    private final TimeMeter clock;

    HostTurns(TimeMeter clock) {
        this.clock = clock;
    }

    /// @param logins questions for logins, each of which is a line in the record
    private record Share(Semaphore places, Bucket requests, Bucket logins) {
        boolean isUnused() {
            return places.availablePermits() == AT_ONCE_MAX
                    && requests.getAvailableTokens() == BURST_MAX
                    && logins.getAvailableTokens() == LOGINS_PER_MINUTE_MAX;
        }
    }

    private Share share() {
        return new Share(
                new Semaphore(AT_ONCE_MAX),
                bucket(clock, BURST_MAX, PER_MINUTE_MAX),
                bucket(clock, LOGINS_PER_MINUTE_MAX, LOGINS_PER_MINUTE_MAX));
    }

    static Bucket bucket(TimeMeter clock, int burst, int perMinute) {
        return Bucket.builder()
                .withCustomTimePrecision(clock)
                .addLimit(
                        limit ->
                                limit.capacity(burst)
                                        .refillGreedy(perMinute, Duration.ofMinutes(1)))
                .build();
    }

    /// A place, until it is closed.
    interface Place extends AutoCloseable {
        @Override
        void close();
    }

    /// Those that nobody has used for a while are as good as new ones.
    private void forgetUnused() {
        if (shares.size() > SHARES_KEPT) {
            shares.values().removeIf(Share::isUnused);
        }
    }

    /// @param host whose signature was verified
    /// @throws OperationException when it has had its share
    Place begin(HostId host) throws OperationException {
        forgetUnused();
        Share own = shares.computeIfAbsent(host, _ -> share());
        if (!own.places().tryAcquire()) {
            throw FleetDesk.busy();
        }
        if (!own.requests().tryConsume(1)) {
            own.places().release();
            throw FleetDesk.busy();
        }
        return own.places()::release;
    }

    /// @param host that has a place, and asks for logins
    /// @throws OperationException when it has asked too often
    void login(HostId host) throws OperationException {
        if (!shares.computeIfAbsent(host, _ -> share()).logins().tryConsume(1)) {
            throw FleetDesk.busy();
        }
    }
}

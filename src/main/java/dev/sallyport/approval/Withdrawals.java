package dev.sallyport.approval;

import dev.sallyport.audit.Meter;
import io.github.bucket4j.Bucket;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/// How many questions may be taken back before the next one has to wait. Every question is two
/// lines of the record and a notice to a person, and whoever takes one back can ask the next at
/// once. The gateway holds sandboxes to it; the warden does so again, because a gateway that was
/// taken over holds nobody. Not for several threads.
public final class Withdrawals {
    private static final int AT_ONCE = 20;
    private static final Duration EVERY = Duration.ofSeconds(10);

    /// Of all sessions that take questions back.
    private static final int TOTAL_AT_ONCE = 100;

    private static final Duration TOTAL_EVERY = Duration.ofSeconds(1);

    private final Meter clock;
    private final Map<String, Bucket> sessions = new HashMap<>();
    private final Bucket total;

    /// @param uptime a time that never goes back
    public Withdrawals(Supplier<Duration> uptime) {
        this.clock = new Meter(() -> uptime.get().toNanos());
        this.total = bucket(TOTAL_AT_ONCE, TOTAL_EVERY);
    }

    private Bucket bucket(int atOnce, Duration every) {
        return Bucket.builder()
                .withCustomTimePrecision(clock)
                .addLimit(limit -> limit.capacity(atOnce).refillGreedy(1, every))
                .build();
    }

    /// Whether this session may ask now. What is open counts as if it were taken back, so that
    /// nobody opens many for one. A session that took nothing back lately may always ask: others
    /// cannot use up what there is for all.
    ///
    /// @param open how many questions of this session are open
    /// @param openOfAll how many of all sessions
    public boolean allow(String session, long open, long openOfAll) {
        Bucket own = sessions.get(session);
        return own == null
                || (own.getAvailableTokens() > open && total.getAvailableTokens() > openOfAll);
    }

    /// One was taken back.
    public void count(String session) {
        sessions.values().removeIf(bucket -> bucket.getAvailableTokens() >= AT_ONCE);
        sessions.computeIfAbsent(session, _ -> bucket(AT_ONCE, EVERY)).tryConsume(1);
        total.tryConsume(1);
    }
}

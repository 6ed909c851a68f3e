package dev.sallyport.audit;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/// Counts events that have no line of their own, until they are told in one.
final class Tally {
    static final Duration DELAY_MAX = Duration.ofSeconds(30);
    static final String OTHER = "other";

    private final int keysMax;
    private final LongSupplier nanos;
    private final Map<String, Long> counts = new TreeMap<>();
    private long count;
    private long sinceNanos;
    private Instant first = Instant.EPOCH;
    private Instant last = Instant.EPOCH;
    private String firstId = "";
    private String lastId = "";

    /// What was counted: how much of what, between which times and ids.
    record Told(
            Map<String, Long> counts, Instant first, Instant last, String firstId, String lastId) {
        /// All but the counts themselves.
        Map<String, String> detail() {
            Map<String, String> detail = new TreeMap<>();
            long sum = counts.values().stream().mapToLong(Long::longValue).sum();
            detail.put("count", Long.toString(sum));
            detail.put("from", first.toString());
            detail.put("to", last.toString());
            if (!firstId.isEmpty()) {
                detail.put("first-id", firstId);
                detail.put("last-id", lastId);
            }
            return detail;
        }
    }

    /// @param keysMax further ones are counted as `other`
    /// @param nanos a clock that nobody sets
    Tally(int keysMax, LongSupplier nanos) {
        this.keysMax = keysMax;
        this.nanos = nanos;
    }

    synchronized void count(String key, AuditEvent event) {
        last = Instant.now().truncatedTo(ChronoUnit.MILLIS);
        if (count == 0) {
            first = last;
            sinceNanos = nanos.getAsLong();
        }
        add(key, 1);
        String id = event.detail().getOrDefault("id", "");
        if (!id.isEmpty()) {
            firstId = firstId.isEmpty() || id.compareTo(firstId) < 0 ? id : firstId;
            lastId = id.compareTo(lastId) > 0 ? id : lastId;
        }
    }

    private void add(String key, long times) {
        boolean room = counts.containsKey(key) || counts.size() < keysMax;
        counts.merge(room ? key : OTHER, times, Long::sum);
        count += times;
    }

    synchronized boolean isEmpty() {
        return count == 0;
    }

    synchronized boolean isDue() {
        return count > 0 && nanos.getAsLong() - sinceNanos >= DELAY_MAX.toNanos();
    }

    /// Begins anew.
    synchronized Told take() {
        Told told = new Told(Map.copyOf(counts), first, last, firstId, lastId);
        counts.clear();
        count = 0;
        firstId = "";
        lastId = "";
        return told;
    }

    /// What cannot be written is told again with the next line.
    void tell(Recorder recorder, AuditEvent line, Told told) {
        var _ =
                recorder.record(line)
                        .exceptionally(
                                _ -> {
                                    takeBack(told);
                                    return null;
                                });
    }

    private synchronized void takeBack(Told untold) {
        if (count == 0) {
            last = Instant.now().truncatedTo(ChronoUnit.MILLIS);
            lastId = untold.lastId();
            sinceNanos = nanos.getAsLong();
        }
        first = untold.first();
        firstId = untold.firstId().isEmpty() ? firstId : untold.firstId();
        untold.counts().forEach(this::add);
    }
}

package dev.sallyport.audit;

import io.github.bucket4j.Bucket;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// What one session reads: requests that change nothing. A busy session is not refused for them,
/// and cannot flood the record with them: above its allowance a place's first read is written, says
/// that further ones are counted, and those are told in one line within half a minute. What changes
/// something never comes here, so counting can hide none of it.
///
/// The first read under each rule has its line in any case: a rule may use a secret. One line tells
/// of a few places only, so reads of further ones are recorded like what changes something: a place
/// that is never named would be hidden.
final class CountedReads {
    private static final int PLACES_MAX = 20;

    private final String session;
    private final Recorder recorder;
    private final Recorder whole;
    private final Bucket allowance;
    private final LongSupplier nanos;
    private final Tally tally;

    /// The line with which each rule was used first. There are as many as the policy has rules.
    private final Map<String, CompletableFuture<Void>> rules = new ConcurrentHashMap<>();

    /// The line that says of a place that its reads are counted, until they are told.
    private final Map<String, CompletableFuture<Void>> announced = new HashMap<>();

    private long sinceNanos;

    /// @param whole for what is not counted, whatever it costs
    CountedReads(
            String session,
            Recorder recorder,
            Recorder whole,
            Bucket allowance,
            LongSupplier nanos) {
        this.session = session;
        this.recorder = recorder;
        this.whole = whole;
        this.allowance = allowance;
        this.nanos = nanos;
        this.tally = new Tally(PLACES_MAX + 1, nanos);
    }

    /// The future completes when the read's own line, or the one that announces the count, is in
    /// the log.
    CompletableFuture<Void> record(AuditEvent event) {
        String rule = event.detail().getOrDefault("rule", "");
        if (!allowance.tryConsume(AuditLine.bytesAbout(event))) {
            return recordOrCount(event, rule);
        }
        CompletableFuture<Void> line = recorder.record(event);
        if (isMissing(rules.get(rule))) {
            rules.put(rule, line);
        }
        return line;
    }

    private synchronized CompletableFuture<Void> recordOrCount(AuditEvent event, String rule) {
        String place = place(event);
        if (!announced.containsKey(place) && announced.size() >= PLACES_MAX) {
            return whole.record(event);
        }
        CompletableFuture<Void> first = rules.get(rule);
        CompletableFuture<Void> said = announced.get(place);
        if (first == null || said == null || isMissing(first) || isMissing(said)) {
            return announce(event, rule, place);
        }
        tally.count(place, event);
        return first.isDone() ? said : CompletableFuture.allOf(first, said);
    }

    private CompletableFuture<Void> announce(AuditEvent event, String rule, String place) {
        Map<String, String> detail = new TreeMap<>(event.detail());
        detail.put("further", "counted");
        CompletableFuture<Void> line =
                recorder.record(
                        new AuditEvent(event.kind(), event.session(), event.decision(), detail));
        if (announced.isEmpty()) {
            sinceNanos = nanos.getAsLong();
        }
        announced.put(place, line);
        if (isMissing(rules.get(rule))) {
            rules.put(rule, line);
        }
        return line;
    }

    private static boolean isMissing(@Nullable CompletableFuture<Void> line) {
        return line == null || line.isCompletedExceptionally();
    }

    /// Where it reads: a host or a repository.
    private static String place(AuditEvent event) {
        Map<String, String> detail = event.detail();
        return detail.getOrDefault("host", detail.getOrDefault("repo", Tally.OTHER));
    }

    synchronized void tellIfDue() {
        boolean over = nanos.getAsLong() - sinceNanos >= Tally.DELAY_MAX.toNanos();
        if ((over && !announced.isEmpty()) || tally.isDue()) {
            tell();
        }
    }

    synchronized void tell() {
        announced.clear();
        if (tally.isEmpty()) {
            return;
        }
        Tally.Told told = tally.take();
        Map<String, String> detail = told.detail();
        int number = 0;
        for (Map.Entry<String, Long> place : new TreeMap<>(told.counts()).entrySet()) {
            number++;
            detail.put("read-" + number, place.getValue() + " " + place.getKey());
        }
        var _ =
                recorder.record(new AuditEvent(ThinnedRecorder.SUMMARY, session, "allow", detail))
                        .exceptionally(
                                _ -> {
                                    tally.takeBack(told);
                                    return null;
                                });
    }
}

package dev.sallyport.audit;

import dev.sallyport.policy.Refusal;
import io.github.bucket4j.Bucket;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// The one way from the doors of a gateway to the record. What was denied or came to nothing is
/// thinned, whichever door says so: a sandbox can be refused a thousand times a second, and must
/// neither fill the disk nor push older lines out of the record with that (I17).
///
/// Each session may have so many bytes of such lines at once and so many a second; the rest is
/// counted and told in one line within half a minute. Denied pushes have an allowance of their own,
/// so that cheap refusals cannot hide them.
///
/// What is allowed has a far larger allowance. Reads above theirs are counted ([CountedReads]).
/// Everything else is never left out: without room there is no line, and without a line nothing is
/// relayed. How an allowed thing ended is always written, and taken from the same allowance.
public final class ThinnedRecorder implements Recorder {
    public static final String SUMMARY = "audit.thinned";

    static final int BURST_BYTES = 64 << 10;

    /// Twice for each session, which makes 28 MB a day.
    static final int BYTES_PER_SECOND_MAX = 160;

    /// Of allowed lines: about 20 seconds of 6,000 requests a second.
    static final int ALLOWED_BURST_BYTES = 80 << 20;

    /// With the burst 1.5 GB a day: less than the record keeps by default.
    static final int ALLOWED_BYTES_PER_SECOND_MAX = 16 << 10;

    /// Of reads, besides a burst as large: 10 lines a second, 0.4 GB a day.
    static final int READ_BYTES_PER_SECOND_MAX = 4 << 10;

    private static final String PUSH = "git.push";
    private static final String DENIED = "deny";

    /// What a sandbox can cause as often as a denial, and without any upstream.
    private static final Set<String> FAILURES =
            Set.of("git.failed", "lfs.failed", "egress.failed", "api.failed");

    /// An event has room for 32 details, and five are taken.
    private static final int REASONS_MAX = 26;

    private final Recorder recorder;
    private final LongSupplier nanos;
    private final Map<String, Thinning> sessions = new ConcurrentHashMap<>();

    public ThinnedRecorder(Recorder recorder) {
        this(recorder, System::nanoTime);
    }

    /// @param nanos a clock that nobody sets
    ThinnedRecorder(Recorder recorder, LongSupplier nanos) {
        this.recorder = recorder;
        this.nanos = nanos;
    }

    /// A session's first door opens.
    public void begin(String session) {
        sessions.put(session, new Thinning(session));
    }

    /// A session's doors are closed; what is still to be told is told now.
    public void end(String session) {
        Thinning known = sessions.remove(session);
        if (known != null) {
            known.tell();
            known.reads.tell();
        }
    }

    /// To be called about once a second.
    public void tellWhatIsDue() {
        sessions.values().forEach(Thinning::tellIfDue);
    }

    /// For a denial that is only counted the future completes at once: it needs no line to take
    /// effect. For what is allowed it fails when there is no room for the line.
    @Override
    public CompletableFuture<Void> record(AuditEvent event) {
        Thinning known = sessions.get(event.session());
        if (known == null) {
            return recorder.record(event);
        }
        if (event.decision().equals(DENIED) || FAILURES.contains(event.kind())) {
            return known.record(event);
        }
        return known.recordWhole(event);
    }

    @Override
    public CompletableFuture<Void> recordRead(AuditEvent event) {
        Thinning known = sessions.get(event.session());
        return known == null ? recorder.record(event) : known.reads.record(event);
    }

    private Bucket allowance(int burstBytes, int bytesPerSecondMax) {
        return Bucket.builder()
                .addLimit(
                        limit ->
                                limit.capacity(burstBytes)
                                        .refillGreedy(bytesPerSecondMax, Duration.ofSeconds(1)))
                .withCustomTimePrecision(new Meter(nanos))
                .build();
    }

    /// What one session was denied, or failed at, without a line of its own.
    private final class Thinning {
        private final String session;
        private final Bucket pushes = allowance(BURST_BYTES, BYTES_PER_SECOND_MAX);
        private final Bucket others = allowance(BURST_BYTES, BYTES_PER_SECOND_MAX);
        private final Bucket allowed = allowance(ALLOWED_BURST_BYTES, ALLOWED_BYTES_PER_SECOND_MAX);
        private final Tally tally = new Tally(REASONS_MAX, nanos);
        private final CountedReads reads;

        Thinning(String session) {
            this.session = session;
            this.reads =
                    new CountedReads(
                            session,
                            recorder,
                            this::recordWhole,
                            allowance(ALLOWED_BURST_BYTES, READ_BYTES_PER_SECOND_MAX),
                            nanos);
        }

        CompletableFuture<Void> record(AuditEvent event) {
            Bucket allowance = event.kind().equals(PUSH) ? pushes : others;
            if (!allowance.tryConsume(AuditLine.bytesAbout(event))) {
                count(event);
                return CompletableFuture.completedFuture(null);
            }
            CompletableFuture<Void> made = recorder.record(event);
            var _ =
                    made.exceptionally(
                            _ -> {
                                count(event);
                                return null;
                            });
            return made;
        }

        /// What decides nothing tells how one allowed thing ended, so there is one such line for
        /// each at most: it is written in any case and paid for later.
        CompletableFuture<Void> recordWhole(AuditEvent event) {
            int bytes = AuditLine.bytesAbout(event);
            if (event.decision().isEmpty()) {
                allowed.consumeIgnoringRateLimits(bytes);
            } else if (!allowed.tryConsume(bytes)) {
                count(event, Refusal.TOO_MANY_REQUESTS.code());
                return CompletableFuture.failedFuture(new Recorder.RecordRateException());
            }
            return recorder.record(event);
        }

        private void count(AuditEvent event) {
            count(event, reason(event));
        }

        private void count(AuditEvent event, String reason) {
            tally.count(event.kind() + '.' + reason, event);
        }

        void tellIfDue() {
            if (tally.isDue()) {
                tell();
            }
            reads.tellIfDue();
        }

        void tell() {
            if (tally.isEmpty()) {
                return;
            }
            Tally.Told told = tally.take();
            Map<String, String> detail = told.detail();
            told.counts().forEach((reason, times) -> detail.put(reason, Long.toString(times)));
            tally.tell(recorder, new AuditEvent(SUMMARY, session, DENIED, detail), told);
        }
    }

    /// Pushes have a reason for each ref; the first stands for all.
    private static String reason(AuditEvent event) {
        return event.detail().entrySet().stream()
                .filter(detail -> detail.getKey().matches("reason(-[0-9]+)?"))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse("denied");
    }

    /// What one session reads: requests that change nothing. A busy session is not refused for
    /// them, and cannot flood the record with them: above its allowance a place's first read is
    /// written, says that further ones are counted, and those are told in one line within half a
    /// minute. What changes something never comes here, so counting can hide none of it.
    ///
    /// The first read under each rule has its line in any case: a rule may use a secret. One line
    /// tells of a few places only, so reads of further ones are recorded like what changes
    /// something: a place that is never named would be hidden.
    static final class CountedReads {
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

        /// The future completes when the read's own line, or the one that announces the count, is
        /// in the log.
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
                            new AuditEvent(
                                    event.kind(), event.session(), event.decision(), detail));
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
            tally.tell(recorder, new AuditEvent(SUMMARY, session, "allow", detail), told);
        }
    }
}

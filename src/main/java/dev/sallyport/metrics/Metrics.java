package dev.sallyport.metrics;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.channel.Figure;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// What is counted while nobody looks costs one addition. The library that shows it is loaded when
/// somebody asks for the first time; histograms begin then.
public final class Metrics {
    /// Of what has bytes.
    private static final List<String> SIZES = List.of("bytes-up", "bytes-down");

    private static final int ID_RANDOM_BITS = 20;
    private static final long DECISION_MILLIS_MAX = 3_600_000;

    /// Of one class in one report; more than a gateway can serve in that time.
    private static final long REQUESTS_PER_REPORT_MAX = 50_000;

    /// A gateway tells its figures every five seconds; one that tells more often is not heard.
    private static final long REPORT_NANOS_MIN = 1_000_000_000;

    private final Decisions decisions = new Decisions();
    private final LongSupplier nanos;
    private final AtomicLong toldNanos;
    private final AtomicLongArray figures = new AtomicLongArray(Figure.values().length);
    private final Supplier<Map<String, Long>> sessions;
    private final Supplier<Long> restarts;
    private final Instant began = Instant.now();
    private volatile @Nullable Exposition exposition;

    /// @param sessions how many there are, by state
    /// @param restarts of the gateway
    public Metrics(Supplier<Map<String, Long>> sessions, Supplier<Long> restarts) {
        this(sessions, restarts, System::nanoTime);
    }

    Metrics(Supplier<Map<String, Long>> sessions, Supplier<Long> restarts, LongSupplier nanos) {
        this.nanos = nanos;
        this.toldNanos = new AtomicLong(nanos.getAsLong() - REPORT_NANOS_MIN);
        this.sessions = sessions;
        this.restarts = restarts;
    }

    /// A line of a gateway's is in the record.
    public void recorded(AuditEvent event) {
        decisions.add(event);
        Exposition shown = exposition;
        if (shown == null) {
            return;
        }
        String door = Decisions.door(event.kind());
        if (!event.decision().isEmpty()) {
            decided(event).ifPresent(millis -> shown.decided(door, millis));
        }
        for (String size : SIZES) {
            String bytes = event.detail().get(size);
            if (bytes != null) {
                shown.moved(door, size.substring("bytes-".length()), number(bytes));
            }
        }
    }

    /// An id begins with the time at which its request came.
    private static OptionalLong decided(AuditEvent event) {
        try {
            String id = event.detail().getOrDefault("id", "");
            long asked = HexFormat.fromHexDigitsToLong(id) >>> ID_RANDOM_BITS;
            long millis = System.currentTimeMillis() - asked;
            return asked == 0 || millis < 0 || millis > DECISION_MILLIS_MAX
                    ? OptionalLong.empty()
                    : OptionalLong.of(millis);
        } catch (IllegalArgumentException _) {
            return OptionalLong.empty();
        }
    }

    private static long number(String text) {
        try {
            return Math.max(0, Long.parseLong(text));
        } catch (NumberFormatException _) {
            return 0;
        }
    }

    /// How long writing a batch of lines took.
    public void wrote(long nanos) {
        Exposition shown = exposition;
        if (shown != null) {
            shown.wrote(nanos);
        }
    }

    /// A gateway tells of itself; what is not as agreed is dropped.
    ///
    /// @param values one for each [Figure]
    /// @param requests how many ended, by how long they took
    public void told(List<Long> values, List<Long> requests) {
        if (values.size() != figures.length() || requests.size() != Exposition.REQUEST_CLASSES) {
            return;
        }
        long now = nanos.getAsLong();
        long before = toldNanos.get();
        if (now - before < REPORT_NANOS_MIN || !toldNanos.compareAndSet(before, now)) {
            return;
        }
        for (int i = 0; i < figures.length(); i++) {
            figures.set(i, Math.max(0, values.get(i)));
        }
        Exposition shown = exposition;
        if (shown != null) {
            for (int i = 0; i < requests.size(); i++) {
                shown.requests(i, Math.clamp(requests.get(i), 0, REQUESTS_PER_REPORT_MAX));
            }
        }
    }

    /// Everything in the text format of Prometheus, version 0.0.4.
    public synchronized String text() {
        return shown().text(decisions, sessions.get());
    }

    /// The same in the JSON form of OTLP, an `ExportMetricsServiceRequest`.
    public synchronized String otlp() {
        return shown().otlp(decisions, sessions.get());
    }

    private Exposition shown() {
        Exposition shown = exposition;
        if (shown == null) {
            shown = new Exposition(figures, restarts, began);
            exposition = shown;
        }
        return shown;
    }
}

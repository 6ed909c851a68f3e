package dev.sallyport.metrics;

import dev.sallyport.channel.Figure;
import dev.sallyport.session.RequestTimes;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/// The one class that knows the library. Names are those of Prometheus with dots for the library's
/// sake; every label has a fixed list of values.
final class Exposition {
    private static final List<Long> CLASSES_MILLIS = RequestTimes.CLASSES_MILLIS;

    static final int REQUEST_CLASSES = CLASSES_MILLIS.size() + 1;

    private static final Duration[] TIMES =
            CLASSES_MILLIS.stream().map(Duration::ofMillis).toArray(Duration[]::new);
    private static final double[] SIZES = {1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};

    private final OtlpForm otlp;
    private final PrometheusMeterRegistry registry =
            new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final Set<Decisions.Key> shown = new HashSet<>();
    private final MultiGauge sessions;
    private final Timer requests;
    private final Timer writes;

    /// @param began when counting did
    Exposition(AtomicLongArray figures, Supplier<Long> restarts, Instant began) {
        this.otlp = new OtlpForm(UUID.randomUUID().toString(), began, Instant.now());
        this.requests =
                timer("sallyport.request", "How long requests of sandboxes took", Tags.empty());
        this.writes = timer("sallyport.record.write", "How long writing lines took", Tags.empty());
        this.sessions =
                MultiGauge.builder("sallyport.sandboxes")
                        .description("Sandboxes, by state")
                        .register(registry);
        FunctionCounter.builder("sallyport.gateway.restarts", restarts, r -> r.get())
                .description("How often the gateway was started again")
                .register(registry);
        List<Figure> told = List.of(Figure.values());
        for (int i = 0; i < told.size(); i++) {
            int place = i;
            String name = told.get(i).name().toLowerCase(Locale.ROOT).replace('_', '.');
            Gauge.builder("sallyport.gateway." + name, figures, f -> f.get(place))
                    .description("As the gateway told within the last seconds")
                    .register(registry);
        }
        new JvmMemoryMetrics().bindTo(registry);
        new JvmThreadMetrics().bindTo(registry);
    }

    private Timer timer(String name, String what, Tags tags) {
        return Timer.builder(name)
                .description(what)
                .tags(tags)
                .serviceLevelObjectives(TIMES)
                .register(registry);
    }

    void decided(String door, long millis) {
        timer("sallyport.decision", "From request to decision", Tags.of("door", door))
                .record(millis, TimeUnit.MILLISECONDS);
    }

    void moved(String door, String direction, long bytes) {
        DistributionSummary.builder("sallyport.moved")
                .description("Bytes of connections and pushes, when they were over")
                .baseUnit("bytes")
                .tags("door", door, "direction", direction)
                .serviceLevelObjectives(SIZES)
                .register(registry)
                .record((double) bytes);
    }

    void wrote(long nanos) {
        writes.record(nanos, TimeUnit.NANOSECONDS);
    }

    /// Each counts as long as the longest of its class; those above as twice the last.
    void requests(int place, long times) {
        long millis =
                place < CLASSES_MILLIS.size()
                        ? CLASSES_MILLIS.get(place)
                        : 2 * CLASSES_MILLIS.getLast();
        for (long i = 0; i < times; i++) {
            requests.record(millis, TimeUnit.MILLISECONDS);
        }
    }

    /// In the text format of Prometheus.
    String text(Decisions decisions, Map<String, Long> byState) {
        look(decisions, byState);
        return registry.scrape();
    }

    /// In the JSON form of OTLP.
    String otlp(Decisions decisions, Map<String, Long> byState) {
        look(decisions, byState);
        return otlp.json(registry.getPrometheusRegistry().scrape(), Instant.now());
    }

    private void look(Decisions decisions, Map<String, Long> byState) {
        decisions.each(this::show);
        sessions.register(
                byState.entrySet().stream()
                        .map(e -> MultiGauge.Row.of(Tags.of("state", e.getKey()), e.getValue()))
                        .toList(),
                true);
    }

    private void show(Decisions.Key key, LongAdder count) {
        if (shown.add(key)) {
            FunctionCounter.builder("sallyport.decisions", count, LongAdder::sum)
                    .description("Lines of the record, by door, decision and reason")
                    .tags("door", key.door(), "decision", key.decision(), "reason", key.reason())
                    .register(registry);
        }
    }
}

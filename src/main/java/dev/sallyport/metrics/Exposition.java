package dev.sallyport.metrics;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
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
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.DataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
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
                    .description("Lines of the audit log, by door, decision and reason")
                    .tags("door", key.door(), "decision", key.decision(), "reason", key.reason())
                    .register(registry);
        }
    }

    /// One look at all figures in the JSON form of OTLP (an `ExportMetricsServiceRequest`), under
    /// the names and with the labels that Prometheus gets. Counters and histograms are cumulative.
    ///
    /// @param instance tells the figures of one start of the daemon from those of others
    /// @param began when counting did
    /// @param looked when histograms began
    record OtlpForm(String instance, Instant began, Instant looked) {
        private static final ObjectMapper JSON = new ObjectMapper();

        /// Enumerations are numbers in this form.
        private static final int CUMULATIVE = 2;

        String json(MetricSnapshots all, Instant now) {
            List<Map<String, Object>> metrics = new ArrayList<>();
            all.forEach(snapshot -> metric(snapshot, now).ifPresent(metrics::add));
            Map<String, Object> scope = new LinkedHashMap<>();
            scope.put("scope", Map.of("name", "sallyport"));
            scope.put("metrics", metrics);
            Map<String, Object> resource = new LinkedHashMap<>();
            resource.put(
                    "resource",
                    OtlpJson.resource(
                            List.of(
                                    OtlpJson.attribute("service.name", "sallyport"),
                                    OtlpJson.attribute("service.instance.id", instance))));
            resource.put("scopeMetrics", List.of(scope));
            try {
                return JSON.writeValueAsString(Map.of("resourceMetrics", List.of(resource)));
            } catch (JsonProcessingException e) {
                throw new IllegalStateException("figures that cannot be written", e);
            }
        }

        /// There are no others; what the library may add one day is left out.
        private Optional<Map<String, Object>> metric(MetricSnapshot snapshot, Instant now) {
            String name = snapshot.getMetadata().getPrometheusName();
            return switch (snapshot) {
                case CounterSnapshot counter ->
                        Optional.of(
                                metric(
                                        name + "_total",
                                        snapshot,
                                        "sum",
                                        cumulative(sums(counter, now), true)));
                case GaugeSnapshot gauge ->
                        Optional.of(
                                metric(
                                        name,
                                        snapshot,
                                        "gauge",
                                        Map.of("dataPoints", gauges(gauge, now))));
                case HistogramSnapshot histogram ->
                        Optional.of(
                                metric(
                                        name,
                                        snapshot,
                                        "histogram",
                                        cumulative(histograms(histogram, now), false)));
                default -> Optional.empty();
            };
        }

        private static Map<String, Object> metric(
                String name, MetricSnapshot snapshot, String kind, Map<String, Object> data) {
            Map<String, Object> metric = new LinkedHashMap<>();
            metric.put("name", name);
            String help = snapshot.getMetadata().getHelp();
            if (help != null) {
                metric.put("description", help);
            }
            metric.put(kind, data);
            return metric;
        }

        private static Map<String, Object> cumulative(
                List<Map<String, Object>> points, boolean monotonic) {
            Map<String, Object> data = new LinkedHashMap<>();
            data.put("dataPoints", points);
            data.put("aggregationTemporality", CUMULATIVE);
            if (monotonic) {
                data.put("isMonotonic", true);
            }
            return data;
        }

        private List<Map<String, Object>> sums(CounterSnapshot counter, Instant now) {
            List<Map<String, Object>> points = new ArrayList<>();
            for (CounterSnapshot.CounterDataPointSnapshot point : counter.getDataPoints()) {
                Map<String, Object> written = point(point, now);
                written.put("startTimeUnixNano", OtlpJson.nanos(began));
                written.put("asDouble", point.getValue());
                points.add(written);
            }
            return points;
        }

        /// What is no number is not known at the moment.
        private static List<Map<String, Object>> gauges(GaugeSnapshot gauge, Instant now) {
            List<Map<String, Object>> points = new ArrayList<>();
            for (GaugeSnapshot.GaugeDataPointSnapshot point : gauge.getDataPoints()) {
                if (Double.isFinite(point.getValue())) {
                    Map<String, Object> written = point(point, now);
                    written.put("asDouble", point.getValue());
                    points.add(written);
                }
            }
            return points;
        }

        private List<Map<String, Object>> histograms(HistogramSnapshot histogram, Instant now) {
            List<Map<String, Object>> points = new ArrayList<>();
            for (HistogramSnapshot.HistogramDataPointSnapshot point : histogram.getDataPoints()) {
                ClassicHistogramBuckets buckets = point.getClassicBuckets();
                List<Double> bounds = new ArrayList<>();
                List<String> counts = new ArrayList<>();
                for (int i = 0; i < buckets.size(); i++) {
                    counts.add(Long.toString(buckets.getCount(i)));
                    if (Double.isFinite(buckets.getUpperBound(i))) {
                        bounds.add(buckets.getUpperBound(i));
                    }
                }
                Map<String, Object> written = point(point, now);
                written.put("startTimeUnixNano", OtlpJson.nanos(looked));
                written.put("count", Long.toString(point.getCount()));
                written.put("sum", point.getSum());
                written.put("bucketCounts", counts);
                written.put("explicitBounds", bounds);
                points.add(written);
            }
            return points;
        }

        private static Map<String, Object> point(DataPointSnapshot point, Instant now) {
            List<Map<String, Object>> attributes =
                    point.getLabels().stream()
                            .map(label -> OtlpJson.attribute(label.getName(), label.getValue()))
                            .toList();
            Map<String, Object> written = new LinkedHashMap<>();
            written.put("attributes", attributes);
            written.put("timeUnixNano", OtlpJson.nanos(now));
            return written;
        }
    }
}

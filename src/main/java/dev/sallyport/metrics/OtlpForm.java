package dev.sallyport.metrics;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.DataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// One look at all figures in the JSON form of OTLP (an `ExportMetricsServiceRequest`), under the
/// names and with the labels that Prometheus gets. Counters and histograms are cumulative.
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
        List<Map<String, Object>> attributes = new ArrayList<>();
        point.getLabels()
                .forEach(
                        label ->
                                attributes.add(
                                        OtlpJson.attribute(label.getName(), label.getValue())));
        Map<String, Object> written = new LinkedHashMap<>();
        written.put("attributes", attributes);
        written.put("timeUnixNano", OtlpJson.nanos(now));
        return written;
    }
}

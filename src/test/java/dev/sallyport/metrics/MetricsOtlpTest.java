package dev.sallyport.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.JsonFormat;
import dev.sallyport.audit.AuditEvent;
import dev.sallyport.channel.Figure;
import dev.sallyport.session.RequestTimes;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.metrics.v1.AggregationTemporality;
import io.opentelemetry.proto.metrics.v1.HistogramDataPoint;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/// The form of OTLP, read strictly by OpenTelemetry's own classes, says what the one of Prometheus
/// says.
final class MetricsOtlpTest {
    private final Metrics metrics = new Metrics(() -> Map.of("running", 2L), () -> 1L);

    private static AuditEvent event(String kind, String decision, Map<String, String> detail) {
        return new AuditEvent(kind, "00000000000000aa", decision, detail);
    }

    private void fill() {
        metrics.text();
        metrics.recorded(event("git.push", "deny", Map.of("reason-1", "ref-not-allowed")));
        metrics.recorded(event("egress.request", "allow", Map.of("host", "a.example")));
        metrics.recorded(event("egress.end", "", Map.of("bytes-up", "500", "bytes-down", "5000")));
        metrics.recorded(event("egress.end", "", Map.of("bytes-up", "99999999999")));
        metrics.told(
                Collections.nCopies(Figure.values().length, 7L),
                Collections.nCopies(RequestTimes.CLASSES_MILLIS.size() + 1, 3L));
        metrics.wrote(2_000_000);
    }

    /// Unknown fields are errors.
    private ResourceMetrics otlp() throws InvalidProtocolBufferException {
        ExportMetricsServiceRequest.Builder read = ExportMetricsServiceRequest.newBuilder();
        JsonFormat.parser().merge(metrics.otlp(), read);
        assertThat(read.getResourceMetricsCount()).isEqualTo(1);
        return read.getResourceMetrics(0);
    }

    private static List<Metric> metrics(ResourceMetrics from) {
        assertThat(from.getScopeMetricsCount()).isEqualTo(1);
        return from.getScopeMetrics(0).getMetricsList();
    }

    private static String labels(List<KeyValue> attributes, String... more) {
        String all =
                attributes.stream()
                        .map(one -> one.getKey() + "=\"" + one.getValue().getStringValue() + "\"")
                        .collect(Collectors.joining(","));
        String rest = String.join("", more);
        String both = all.isEmpty() || rest.isEmpty() ? all + rest : all + "," + rest;
        return both.isEmpty() ? "" : "{" + both + "}";
    }

    /// As lines of Prometheus, by name and labels.
    private static Map<String, Double> lines(Metric metric) {
        Map<String, Double> lines = new HashMap<>();
        List<NumberDataPoint> numbers =
                metric.hasSum()
                        ? metric.getSum().getDataPointsList()
                        : metric.getGauge().getDataPointsList();
        for (NumberDataPoint point : numbers) {
            assertThat(point.getTimeUnixNano()).isPositive();
            lines.put(metric.getName() + labels(point.getAttributesList()), point.getAsDouble());
        }
        metric.getHistogram().getDataPointsList().forEach(point -> add(lines, metric, point));
        return lines;
    }

    private static void add(Map<String, Double> lines, Metric metric, HistogramDataPoint point) {
        assertThat(point.getBucketCountsCount()).isEqualTo(point.getExplicitBoundsCount() + 1);
        assertThat(point.getTimeUnixNano()).isGreaterThan(point.getStartTimeUnixNano());
        List<KeyValue> attributes = point.getAttributesList();
        lines.put(metric.getName() + "_count" + labels(attributes), (double) point.getCount());
        lines.put(metric.getName() + "_sum" + labels(attributes), point.getSum());
        double sum = 0;
        for (int i = 0; i < point.getBucketCountsCount(); i++) {
            sum += point.getBucketCounts(i);
            String bound =
                    i < point.getExplicitBoundsCount()
                            ? Double.toString(point.getExplicitBounds(i))
                            : "+Inf";
            String le = "le=\"" + bound + "\"";
            lines.put(metric.getName() + "_bucket" + labels(attributes, le), sum);
        }
    }

    private static Map<String, Double> own(Map<String, Double> lines) {
        Map<String, Double> own = new HashMap<>(lines);
        own.keySet().removeIf(name -> !name.startsWith("sallyport_"));
        return own;
    }

    @Test
    void bothFormsSayTheSame() throws Exception {
        fill();
        Map<String, Double> prometheus = new HashMap<>();
        metrics.text()
                .lines()
                .filter(line -> !line.startsWith("#"))
                .forEach(
                        line -> {
                            int end = line.lastIndexOf(' ');
                            String value = line.substring(end + 1);
                            prometheus.put(line.substring(0, end), Double.valueOf(value));
                        });
        Map<String, Double> otlp = new HashMap<>();
        metrics(otlp()).forEach(metric -> otlp.putAll(lines(metric)));

        assertThat(own(otlp)).hasSizeGreaterThan(40).isEqualTo(own(prometheus));
        assertThat(otlp.keySet()).isEqualTo(prometheus.keySet());
    }

    @Test
    void countersAndHistogramsAreCumulativeAndFromOneInstance() throws Exception {
        fill();
        ResourceMetrics found = otlp();
        assertThat(labels(found.getResource().getAttributesList()))
                .startsWith("{service.name=\"sallyport\",service.instance.id=\"");
        for (Metric metric : metrics(found)) {
            assertThat(metric.getDescription()).as(metric.getName()).isNotEmpty();
            if (metric.hasSum()) {
                assertThat(metric.getName()).endsWith("_total");
                assertThat(metric.getSum().getIsMonotonic()).isTrue();
                assertThat(metric.getSum().getAggregationTemporality())
                        .isEqualTo(AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE);
            } else if (metric.hasHistogram()) {
                assertThat(metric.getHistogram().getAggregationTemporality())
                        .isEqualTo(AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE);
            } else {
                assertThat(metric.hasGauge()).isTrue();
            }
        }
        assertThat(otlp().getResource()).isEqualTo(found.getResource());
        assertThat(metrics.otlp()).doesNotContain("a.example");
    }
}

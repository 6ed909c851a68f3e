package dev.sallyport.metrics;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The parts that all documents of OTLP have in its JSON form, which is the one of Protocol
/// Buffers.
public final class OtlpJson {
    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    private OtlpJson() {}

    /// Whole numbers of 64 bits are strings in this form.
    public static String nanos(Instant time) {
        return Long.toString(time.getEpochSecond() * NANOS_PER_SECOND + time.getNano());
    }

    public static Map<String, Object> attribute(String key, String text) {
        Map<String, Object> attribute = new LinkedHashMap<>();
        attribute.put("key", key);
        attribute.put("value", value(text));
        return attribute;
    }

    public static Map<String, Object> value(String text) {
        return Map.of("stringValue", text);
    }

    /// Who a document is from.
    public static Map<String, Object> resource(List<Map<String, Object>> attributes) {
        return Map.of("attributes", attributes);
    }
}

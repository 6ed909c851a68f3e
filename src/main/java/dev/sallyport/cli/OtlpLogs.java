package dev.sallyport.cli;

import dev.sallyport.audit.AuditLine;
import dev.sallyport.metrics.OtlpJson;
import dev.sallyport.story.LineWords;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// Lines of the record as OpenTelemetry logs, in the JSON form of OTLP.
final class OtlpLogs {
    private static final int INFO = 9;
    private static final int WARN = 13;

    static Map<String, Object> of(List<AuditLine> lines) {
        Map<String, Object> scope = new LinkedHashMap<>();
        scope.put("scope", Map.of("name", "sallyport.audit"));
        scope.put("logRecords", lines.stream().map(OtlpLogs::entry).toList());
        Map<String, Object> resource = new LinkedHashMap<>();
        resource.put(
                "resource",
                OtlpJson.resource(List.of(OtlpJson.attribute("service.name", "sallyport"))));
        resource.put("scopeLogs", List.of(scope));
        return Map.of("resourceLogs", List.of(resource));
    }

    private static Map<String, Object> entry(AuditLine line) {
        boolean denied = line.event().decision().equals("deny");
        Map<String, Object> entry = new LinkedHashMap<>();
        entry.put("timeUnixNano", OtlpJson.nanos(line.time()));
        entry.put("severityNumber", denied ? WARN : INFO);
        entry.put("severityText", denied ? "WARN" : "INFO");
        entry.put("eventName", line.event().kind());
        entry.put("body", OtlpJson.value(new LineWords(line).asked()));
        entry.put("attributes", attributes(line));
        return entry;
    }

    /// What a line says itself comes before what stands beside it.
    private static List<Map<String, Object>> attributes(AuditLine line) {
        Map<String, String> facts = new TreeMap<>();
        facts.put("seq", Long.toString(line.seq()));
        facts.put("hash", line.hash());
        facts.put("kind", line.event().kind());
        facts.put("session", line.event().session());
        facts.put("sandbox", line.sandbox());
        facts.put("runtime", line.stamp().runtime());
        facts.put("policy", line.stamp().policy());
        facts.put("door", line.door());
        facts.put("decision", line.event().decision());
        line.millis().ifPresent(millis -> facts.put("millis", Long.toString(millis)));
        facts.putAll(line.event().detail());
        List<Map<String, Object>> attributes = new ArrayList<>();
        facts.forEach(
                (key, value) -> attributes.add(OtlpJson.attribute("sallyport." + key, value)));
        return attributes;
    }
}

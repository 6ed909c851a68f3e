package dev.sallyport.cli;

import dev.sallyport.audit.AuditLine;
import dev.sallyport.story.LineWords;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// A line of the record as an event of OCSF 1.3. What has no place there stays under `unmapped`, so
/// nothing of a line is lost.
final class OcsfEvent {
    private static final String VERSION = "1.3.0";

    /// The classes that are used, with their category and the activity that is always meant.
    private enum Kind {
        NETWORK_ACTIVITY(4, 4001, 6),
        HTTP_ACTIVITY(4, 4002, 99),
        DNS_ACTIVITY(4, 4003, 1),
        APPLICATION_LIFECYCLE(6, 6002, 99),
        API_ACTIVITY(6, 6003, 99);

        private final int category;
        private final int uid;
        private final int activity;

        Kind(int category, int uid, int activity) {
            this.category = category;
            this.uid = uid;
            this.activity = activity;
        }
    }

    static Map<String, Object> of(AuditLine line) {
        Kind type = type(line.event().kind());
        Map<String, Object> event = new LinkedHashMap<>();
        event.put("category_uid", type.category);
        event.put("class_uid", type.uid);
        event.put("activity_id", type.activity);
        event.put("activity_name", line.event().kind());
        event.put("type_uid", type.uid * 100L + type.activity);
        event.put("time", line.time().toEpochMilli());
        boolean denied = line.event().decision().equals("deny");
        event.put("severity_id", denied ? 3 : 1);
        decide(event, line.event().decision());
        event.put("message", new LineWords(line).asked());
        event.put("metadata", metadata(line));
        line.millis().ifPresent(millis -> event.put("duration", millis));
        event.put("actor", actor(line));
        event.put("policy", Map.of("uid", line.stamp().policy()));
        String rule = line.event().detail().getOrDefault("rule", "");
        if (!rule.isEmpty()) {
            event.put("firewall_rule", Map.of("name", rule));
        }
        subject(event, type, line.event().detail());
        event.put("unmapped", line.event().detail());
        return event;
    }

    private static Map<String, Object> actor(AuditLine line) {
        Map<String, Object> actor = new LinkedHashMap<>();
        actor.put("session", Map.of("uid", line.event().session()));
        actor.put("app_name", line.sandbox());
        actor.put("app_uid", line.stamp().runtime());
        return actor;
    }

    private static Kind type(String kind) {
        if (kind.startsWith("dns.")) {
            return Kind.DNS_ACTIVITY;
        }
        if (kind.equals("egress.request") || kind.startsWith("http.")) {
            return Kind.HTTP_ACTIVITY;
        }
        if (kind.startsWith("egress.")) {
            return Kind.NETWORK_ACTIVITY;
        }
        boolean asked =
                kind.startsWith("git.") || kind.startsWith("lfs.") || kind.startsWith("api.");
        return asked ? Kind.API_ACTIVITY : Kind.APPLICATION_LIFECYCLE;
    }

    private static void decide(Map<String, Object> event, String decision) {
        boolean denied = decision.equals("deny");
        event.put("status_id", denied ? 2 : 1);
        if (!decision.isEmpty()) {
            event.put("action_id", denied ? 2 : 1);
            event.put("disposition_id", denied ? 2 : 1);
        }
    }

    private static Map<String, Object> metadata(AuditLine line) {
        Map<String, Object> metadata = new LinkedHashMap<>();
        metadata.put("version", VERSION);
        metadata.put("profiles", List.of("security_control"));
        metadata.put("product", product());
        metadata.put("uid", line.hash());
        metadata.put("sequence", line.seq());
        return metadata;
    }

    private static Map<String, Object> product() {
        return Map.of("name", "Sallyport", "vendor_name", "Sallyport");
    }

    private static void subject(Map<String, Object> event, Kind type, Map<String, String> facts) {
        String host = facts.getOrDefault("host", "");
        switch (type) {
            case NETWORK_ACTIVITY -> event.put("dst_endpoint", Map.of("hostname", host));
            case HTTP_ACTIVITY -> {
                event.put("dst_endpoint", Map.of("hostname", host));
                event.put("http_request", request(host, facts));
            }
            case DNS_ACTIVITY ->
                    event.put("query", Map.of("hostname", facts.getOrDefault("name", "")));
            case API_ACTIVITY -> {
                String operation = facts.getOrDefault("operation", facts.get("service"));
                String named =
                        operation == null ? String.valueOf(event.get("activity_name")) : operation;
                event.put("api", Map.of("operation", named));
                event.put("resources", List.of(Map.of("name", facts.getOrDefault("repo", host))));
            }
            case APPLICATION_LIFECYCLE -> event.put("app", product());
        }
    }

    private static Map<String, Object> request(String host, Map<String, String> facts) {
        return Map.of(
                "http_method",
                facts.getOrDefault("method", ""),
                "url",
                Map.of("hostname", host, "path", facts.getOrDefault("path", "")));
    }
}

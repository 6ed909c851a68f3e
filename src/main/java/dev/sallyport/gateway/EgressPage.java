package dev.sallyport.gateway;

import dev.sallyport.config.EgressText;
import dev.sallyport.config.EgressText.InjectionText;
import dev.sallyport.config.EgressText.InspectionText;
import dev.sallyport.policy.EgressRule;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// One rule for hosts besides git as an agent reads it, in words and as JSON. In both an absent
/// list means everything and an empty one nothing. Of a secret it tells only where it goes and what
/// to send in its place.
record EgressPage(EgressText rule) {
    static EgressPage of(EgressRule rule) {
        return new EgressPage(EgressText.of(rule));
    }

    Map<String, Object> json() {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("host", rule.host());
        row.put("ports", rule.ports());
        row.put("inspected", rule.inspection().isPresent());
        row.put("tcp", rule.tcp());
        row.put("ask", rule.ask() || rule.inspection().filter(InspectionText::ask).isPresent());
        rule.inspection().ifPresent(inspection -> put(row, inspection));
        return row;
    }

    private static void put(Map<String, Object> row, InspectionText inspection) {
        inspection.methods().ifPresent(methods -> row.put("methods", methods));
        inspection.paths().ifPresent(paths -> row.put("paths", paths));
        row.put("contentTypesDenied", inspection.contentTypesDenied());
        inspection.requestBytesMax().ifPresent(max -> row.put("requestBytesMax", max));
        row.put("jsonDenied", inspection.jsonDenied());
        row.put("jsonRemoved", inspection.jsonRemoved());
        row.put("websocket", inspection.websocket());
        row.put("queryAllowed", inspection.queryAllowed());
        inspection.inject().ifPresent(inject -> row.put("credential", credential(inject)));
    }

    private static Map<String, Object> credential(InjectionText inject) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("place", inject.place());
        inject.placeholder().ifPresent(placeholder -> row.put("placeholder", placeholder));
        return row;
    }

    String text() {
        StringBuilder text = new StringBuilder("  " + rule.host() + ": ports ");
        text.append(list(rule.ports())).append('\n');
        if (rule.inspection().isPresent()) {
            append(text, rule.inspection().get());
        } else {
            line(text, rule.tcp() ? "protocol" : "requests", "any; the gateway does not see them");
        }
        if (rule.ask()) {
            line(text, "each connection", "waits until a person says yes");
        }
        return text.toString();
    }

    private static void append(StringBuilder text, InspectionText inspection) {
        line(text, "methods", list(inspection.methods()));
        line(text, "paths", list(inspection.paths()));
        line(text, "content types that are denied", list(inspection.contentTypesDenied()));
        inspection
                .requestBytesMax()
                .ifPresent(max -> line(text, "largest body of a request", max + " bytes"));
        line(text, "JSON that is denied", list(inspection.jsonDenied()));
        line(text, "JSON that is taken out", list(inspection.jsonRemoved()));
        line(text, "WebSocket", inspection.websocket() ? "yes" : "no");
        line(text, "credentials that may be in the query", list(inspection.queryAllowed()));
        inspection.inject().ifPresent(inject -> line(text, "credential", inWords(inject)));
        if (inspection.ask()) {
            line(text, "each request", "waits until a person says yes");
        }
    }

    private static String inWords(InjectionText inject) {
        return "the gateway adds it ("
                + inject.place()
                + ")"
                + inject.placeholder().map(sent -> "; send " + sent + " in its place").orElse("");
    }

    private static void line(StringBuilder text, String what, String value) {
        text.append("    ").append(what).append(": ").append(value).append('\n');
    }

    private static String list(Optional<List<String>> words) {
        return words.map(EgressPage::list).orElse("all");
    }

    private static String list(List<?> words) {
        return words.isEmpty()
                ? "none"
                : String.join(", ", words.stream().map(Object::toString).toList());
    }
}

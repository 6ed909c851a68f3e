package dev.sallyport.audit;

import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/// One thing that was decided or happened. Values may be words of a sandbox; they are bounded here
/// and escaped by the writer.
///
/// @param kind dotted lower-case name, such as `git.request` or `session.created`
/// @param session session id, or empty for events of the whole system
/// @param decision `allow`, `deny` or empty for events that decide nothing
/// @param detail further facts; never a header value, a body, a query string or a secret
public record AuditEvent(String kind, String session, String decision, Map<String, String> detail) {
    public static final int VALUE_CHARACTERS_MAX = 512;
    public static final int DETAILS_MAX = 32;
    private static final Pattern KIND = Pattern.compile("[a-z]+(\\.[a-z-]+)+");

    public AuditEvent {
        if (!KIND.matcher(kind).matches()) {
            throw new IllegalArgumentException("an event kind is dotted and lower-case");
        }
        if (detail.size() > DETAILS_MAX) {
            throw new IllegalArgumentException("an event has at most " + DETAILS_MAX + " details");
        }
        Map<String, String> bounded = new TreeMap<>();
        detail.forEach((key, value) -> bounded.put(key, clip(value)));
        detail = java.util.Collections.unmodifiableMap(bounded);
    }

    private static String clip(String value) {
        return value.length() <= VALUE_CHARACTERS_MAX
                ? value
                : value.substring(0, VALUE_CHARACTERS_MAX) + "…";
    }
}

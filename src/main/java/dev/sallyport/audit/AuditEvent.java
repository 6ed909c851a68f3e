package dev.sallyport.audit;

import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/// One thing that was decided or happened. Values may be words of a sandbox; they are bounded here
/// and escaped by the writer.
///
/// @param kind dotted lower-case name, such as `git.request` or `session.create`
/// @param session session id, or empty for events of the whole system
/// @param decision `allow`, `deny`, `learned` for what passed only because the session is not
///   isolated, or empty for events that decide nothing
/// @param detail further facts; never a header value, a body, a query string or a secret
public record AuditEvent(String kind, String session, String decision, Map<String, String> detail) {
    public static final int VALUE_CHARACTERS_MAX = 512;
    public static final int DETAILS_MAX = 32;
    private static final int KIND_CHARACTERS_MAX = 64;
    private static final Pattern KIND = Pattern.compile("[a-z]+(\\.[a-z-]+)+");
    private static final Pattern SESSION = Pattern.compile("[A-Za-z0-9-]{0,64}");
    private static final Pattern KEY = Pattern.compile("[A-Za-z][A-Za-z0-9._-]{0,63}");
    private static final Set<String> DECISIONS = Set.of("allow", "deny", "learned", "");

    public AuditEvent {
        require(
                kind.length() <= KIND_CHARACTERS_MAX && KIND.matcher(kind).matches(),
                "an event kind is dotted and lower-case");
        require(SESSION.matcher(session).matches(), "a session id is letters and digits");
        require(DECISIONS.contains(decision), "a decision is allow, deny, learned or empty");
        require(detail.size() <= DETAILS_MAX, "an event has at most " + DETAILS_MAX + " details");
        Map<String, String> bounded = new TreeMap<>();
        detail.forEach(
                (key, value) -> {
                    require(KEY.matcher(key).matches(), "a detail's key is a short word");
                    bounded.put(key, clip(value));
                });
        detail = Collections.unmodifiableMap(bounded);
    }

    private static void require(boolean holds, String rule) {
        if (!holds) {
            throw new IllegalArgumentException(rule);
        }
    }

    /// Clipping twice changes nothing, so that an event survives its way through the channel.
    private static String clip(String value) {
        return value.length() <= VALUE_CHARACTERS_MAX
                ? value
                : value.substring(0, VALUE_CHARACTERS_MAX - 1) + "…";
    }
}

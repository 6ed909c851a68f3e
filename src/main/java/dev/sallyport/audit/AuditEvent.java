package dev.sallyport.audit;

import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

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

    /// Of a kind, a session id and a key.
    public static final int NAME_CHARACTERS_MAX = 64;

    private static final Set<String> DECISIONS = Set.of("allow", "deny", "learned", "");

    public AuditEvent {
        require(isKind(kind), "an event kind is dotted and lower-case");
        require(isName(session, "-"), "a session id is letters and digits");
        require(DECISIONS.contains(decision), "a decision is allow, deny, learned or empty");
        require(detail.size() <= DETAILS_MAX, "an event has at most " + DETAILS_MAX + " details");
        // What is sorted already is copied without comparing anything.
        SortedMap<String, String> bounded = new TreeMap<>(detail);
        bounded.forEach((key, _) -> require(isKey(key), "a detail's key is a short word"));
        bounded.replaceAll((_, value) -> clip(value));
        detail = Collections.unmodifiableSortedMap(bounded);
    }

    /// One of the whole system, that decides nothing.
    static AuditEvent ofSystem(String kind, String... facts) {
        Map<String, String> detail = new TreeMap<>();
        for (int i = 0; i + 1 < facts.length; i += 2) {
            detail.put(facts[i], facts[i + 1]);
        }
        return new AuditEvent(kind, "", "", detail);
    }

    /// By hand: an event is made for each request on both sides, and patterns cost more than it.
    private static boolean isKind(String kind) {
        boolean dotted = false;
        char before = '.';
        for (int i = 0; i < kind.length(); i++) {
            char c = kind.charAt(i);
            boolean dot = c == '.' && before != '.';
            dotted |= dot;
            if (!dot && !(c >= 'a' && c <= 'z') && !(c == '-' && dotted)) {
                return false;
            }
            before = c;
        }
        return dotted && before != '.' && kind.length() <= NAME_CHARACTERS_MAX;
    }

    private static boolean isKey(String key) {
        return !key.isEmpty() && isLetter(key.charAt(0)) && isName(key, "._-");
    }

    private static boolean isName(String name, String others) {
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (!isLetter(c) && !(c >= '0' && c <= '9') && others.indexOf(c) < 0) {
                return false;
            }
        }
        return name.length() <= NAME_CHARACTERS_MAX;
    }

    private static boolean isLetter(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
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

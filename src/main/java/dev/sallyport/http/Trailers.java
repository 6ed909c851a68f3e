package dev.sallyport.http;

import java.util.List;
import java.util.Map;
import java.util.Set;

/// Fields that come after a body (RFC 9110, section 6.5). They are read as strictly as those of a
/// head, and must not be of a kind that a head is judged or framed by: whoever joins both would act
/// upon a request that nobody looked at.
public final class Trailers {
    private static final Set<String> FRAMING = Set.of("content-length", "host");

    private static final Set<String> OF_HEADS =
            Set.of(
                    "age",
                    "authorization",
                    "cache-control",
                    "date",
                    "expect",
                    "forwarded",
                    "from",
                    "host",
                    "location",
                    "max-forwards",
                    "origin",
                    "pragma",
                    "range",
                    "referer",
                    "retry-after",
                    "user-agent",
                    "vary",
                    "via",
                    "www-authenticate");

    private static final List<String> KINDS_OF_HEADS =
            List.of("accept", "content-", "cookie", "if-", "proxy-", "sec-", "set-cookie");

    /// Says what was in a body, and so is known only after it (RFC 9530).
    private static final String DIGEST = "content-digest";

    private Trailers() {}

    /// @param text the lines without the closing empty one; one character per byte; free of control
    ///   bytes and bare line ends
    /// @throws BadHead always as ambiguous: the head, which may be with its door, cannot be refused
    ///   any more
    static Map<String, String> parse(String text, DecodeTerms terms) throws BadHead {
        HeadFields fields = HeadFields.parse(HeadFields.lines(text), terms);
        boolean refused = fields.kept().keySet().stream().anyMatch(Trailers::isOfHeads);
        if (refused || fields.objection().isPresent()) {
            throw BadHead.ambiguous();
        }
        return Map.copyOf(fields.kept());
    }

    /// Whether it says where a message ends, where it goes, or what becomes of its connection.
    public static boolean isFraming(String name) {
        return HopByHop.has(name) || FRAMING.contains(name);
    }

    /// Whether it is of a kind that belongs into a head.
    public static boolean isOfHeads(String name) {
        boolean kind = KINDS_OF_HEADS.stream().anyMatch(name::startsWith);
        return HopByHop.has(name) || OF_HEADS.contains(name) || (kind && !name.equals(DIGEST));
    }
}

package dev.sallyport.http;

import dev.sallyport.config.Limits;
import dev.sallyport.policy.Refusal;
import io.netty.handler.codec.http2.Http2Headers;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;

/// Turns the fields of an HTTP/2 request into the head that the same request has in HTTP/1.1, and
/// has that parsed, so that no rule of one is missing in the other. What HTTP/1.1 could not even
/// express is found here first (RFC 9113, section 8).
final class Http2Head {
    private static final Set<String> PSEUDO_FIELDS =
            Set.of(":method", ":scheme", ":authority", ":path");

    /// What a field counts besides its name and value (RFC 9113, section 10.5.1).
    private static final int FIELD_BYTES = 32;

    private final Map<String, String> pseudo = new HashMap<>();
    private final StringBuilder lines = new StringBuilder();
    private final StringBuilder cookie = new StringBuilder();
    private int listBytes;
    private boolean sized;
    private boolean named;

    private Http2Head() {}

    /// @param complete whether no body follows
    static RequestHead parse(Http2Headers headers, boolean complete, Limits.Http limits)
            throws BadHead {
        Http2Head head = new Http2Head();
        for (Map.Entry<CharSequence, CharSequence> field : headers) {
            head.add(field.getKey().toString(), field.getValue().toString());
        }
        String text = head.text(complete);
        if (head.listBytes > limits.headBytesMax()) {
            throw BadHead.refused(Refusal.HEAD_TOO_LARGE);
        }
        RequestHead parsed = HeadParser.parse(text, new DecodeTerms(limits, HeadForm.WEB));
        if (complete && parsed.framing() instanceof BodyFraming.Sized(long bytes) && bytes > 0) {
            throw BadHead.ambiguous();
        }
        return parsed;
    }

    /// The fields after a body.
    static Map<String, String> trailers(Http2Headers headers, Limits.Http limits) throws BadHead {
        StringJoiner lines = new StringJoiner("\r\n");
        for (Map.Entry<CharSequence, CharSequence> field : headers) {
            String name = field.getKey().toString();
            String value = field.getValue().toString();
            requireRegular(name, value);
            lines.add(name + ": " + value);
        }
        return headers.isEmpty()
                ? Map.of()
                : Trailers.parse(lines.toString(), new DecodeTerms(limits, HeadForm.WEB));
    }

    private void add(String name, String value) throws BadHead {
        listBytes += name.length() + value.length() + FIELD_BYTES;
        if (!name.startsWith(":")) {
            requireRegular(name, value);
            addRegular(name, value);
        } else if (!Http2Field.isClean(value)
                || !PSEUDO_FIELDS.contains(name)
                || pseudo.putIfAbsent(name, value) != null) {
            throw BadHead.ambiguous();
        }
    }

    private static void requireRegular(String name, String value) throws BadHead {
        if (!Http2Field.isRegular(name, value)) {
            throw BadHead.ambiguous();
        }
    }

    private void addRegular(String name, String value) throws BadHead {
        switch (name) {
            case "host" -> requireAuthority(value);
            case "te" -> {
                if (!value.equals("trailers")) {
                    throw BadHead.ambiguous();
                }
                line(name, value);
            }
            // May come in pieces (RFC 9113, section 8.2.3).
            case "cookie" -> cookie.append(cookie.isEmpty() ? "" : "; ").append(value);
            default -> {
                sized |= name.equals("content-length");
                line(name, value);
            }
        }
    }

    /// Pseudo fields come first on the wire, which the codec has seen to.
    private void requireAuthority(String host) throws BadHead {
        if (named || !host.equals(pseudo.get(":authority"))) {
            throw BadHead.ambiguous();
        }
        named = true;
    }

    private String text(boolean complete) throws BadHead {
        boolean whole = pseudo.keySet().equals(PSEUDO_FIELDS);
        // CONNECT has neither scheme nor path (RFC 9113, section 8.5).
        boolean connect = "CONNECT".equals(pseudo.get(":method"));
        if (!whole || connect || !"https".equals(pseudo.get(":scheme"))) {
            throw BadHead.ambiguous();
        }
        line("host", pseudo.getOrDefault(":authority", ""));
        if (!cookie.isEmpty()) {
            line("cookie", cookie.toString());
        }
        if (!complete && !sized) {
            line("transfer-encoding", "chunked");
        }
        String first = pseudo.get(":method") + " " + pseudo.get(":path") + " HTTP/1.1";
        return first + lines;
    }

    private void line(String name, String value) {
        lines.append("\r\n").append(name).append(": ").append(value);
    }
}

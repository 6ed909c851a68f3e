package dev.sallyport.http;

import dev.sallyport.policy.Refusal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The fields of a head: every line is checked, the allowlist is kept, the rest is dropped.
///
/// What could make two readers disagree about framing is ambiguous and ends parsing at once. What
/// is merely not served is remembered as an objection, so that a clear fault never hides an
/// ambiguous one.
final class HeadFields {
    /// For the front door a field that is not here does not exist; nothing else can be forwarded.
    private static final Set<String> FRONT =
            Set.of(
                    "host",
                    "content-type",
                    "content-encoding",
                    "content-length",
                    "transfer-encoding",
                    "accept",
                    "accept-encoding",
                    "git-protocol",
                    "range",
                    "user-agent",
                    "expect",
                    "connection");

    /// Fields whose values may be written in several lines (RFC 9110, section 5.3). All others are
    /// refused when they come twice: readers disagree about which one counts.
    private static final Set<String> LISTS =
            Set.of(
                    "accept",
                    "accept-charset",
                    "accept-encoding",
                    "accept-language",
                    "anthropic-beta",
                    "cache-control",
                    "connection",
                    "if-match",
                    "if-none-match",
                    "openai-beta",
                    "pragma",
                    "prefer",
                    "sec-websocket-extensions",
                    "sec-websocket-protocol",
                    "te",
                    "upgrade");

    private static final Set<String> FRAMING = Set.of("content-length", "transfer-encoding");

    /// More digits cannot be a `long` (RFC 9112, section 6.3, warns of overflow).
    private static final int LENGTH_DIGITS_MAX = 19;

    private final Map<String, String> kept = new HashMap<>();
    private Optional<Refusal> objection = Optional.empty();

    private final DecodeTerms terms;

    private HeadFields(DecodeTerms terms) {
        this.terms = terms;
    }

    static HeadFields parse(List<String> lines, DecodeTerms terms) throws BadHead {
        HeadFields fields = new HeadFields(terms);
        if (lines.size() > terms.limits().headFieldsMax()) {
            throw BadHead.refused(Refusal.HEAD_TOO_LARGE);
        }
        for (String line : lines) {
            fields.add(line);
        }
        return fields;
    }

    /// By hand, because `split` compiles a pattern each time.
    static List<String> lines(String text) {
        List<String> lines = new ArrayList<>();
        int start = 0;
        for (int end = text.indexOf("\r\n"); end >= 0; end = text.indexOf("\r\n", start)) {
            lines.add(text.substring(start, end));
            start = end + 2;
        }
        lines.add(text.substring(start));
        return lines;
    }

    private void add(String line) throws BadHead {
        int colon = line.indexOf(':');
        String name = colon < 0 ? "" : line.substring(0, colon);
        // Also covers obs-fold and a space before the colon: neither is part of a token.
        if (!Ascii.isToken(name)) {
            throw BadHead.ambiguous();
        }
        String value = trim(line.substring(colon + 1));
        if (!Ascii.consistsOf(Ascii.FIELD_NAME, name) || !Ascii.isPlain(value)) {
            object(Refusal.BAD_REQUEST);
            return;
        }
        // Some reader upstream keeps the length of a name in one byte (CVE-2021-40346).
        if (name.length() > terms.limits().fieldNameBytesMax()) {
            object(Refusal.HEAD_TOO_LARGE);
            return;
        }
        String lower = name.toLowerCase(Locale.ROOT);
        if (exists(lower)) {
            keep(lower, value);
        }
    }

    private boolean exists(String name) {
        return switch (terms.form()) {
            case FRONT -> FRONT.contains(name);
            case WEB, PROXY -> true;
        };
    }

    private void keep(String name, String value) throws BadHead {
        String before = kept.putIfAbsent(name, value);
        if (before == null) {
            return;
        }
        if (FRAMING.contains(name)) {
            throw BadHead.ambiguous();
        }
        if (LISTS.contains(name)) {
            kept.put(name, before + ", " + value);
        } else {
            object(Refusal.BAD_REQUEST);
        }
    }

    /// Optional whitespace is space and tab only (RFC 9110, section 5.6.3).
    private static String trim(String text) {
        int from = 0;
        int to = text.length();
        while (from < to && isBlank(text.charAt(from))) {
            from++;
        }
        while (to > from && isBlank(text.charAt(to - 1))) {
            to--;
        }
        return text.substring(from, to);
    }

    private static boolean isBlank(char c) {
        return c == ' ' || c == '\t';
    }

    BodyFraming framing() throws BadHead {
        String length = kept.get("content-length");
        String coding = kept.get("transfer-encoding");
        if (coding != null) {
            if (length != null || !coding.equals("chunked")) {
                throw BadHead.ambiguous();
            }
            return new BodyFraming.Chunked();
        }
        return length == null ? new BodyFraming.None() : new BodyFraming.Sized(parseLength(length));
    }

    private static long parseLength(String text) throws BadHead {
        if (text.length() > LENGTH_DIGITS_MAX || !Ascii.areDigits(text)) {
            throw BadHead.ambiguous();
        }
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw BadHead.ambiguous();
        }
    }

    boolean expectsContinue() {
        String expect = kept.get("expect");
        if (expect != null && !expect.equalsIgnoreCase("100-continue")) {
            object(Refusal.BAD_REQUEST);
        }
        return expect != null;
    }

    /// `Connection` decides about this connection only. Options that we do not speak are dropped
    /// like the fields they name; one that names a field we act on is an attempt to make the next
    /// hop lose it (CVE-2021-33197, CVE-2024-45410).
    boolean keepAlive() {
        boolean keepAlive = true;
        for (String option : kept.getOrDefault("connection", "").split(",", -1)) {
            String name = trim(option).toLowerCase(Locale.ROOT);
            if (name.equals("close")) {
                keepAlive = false;
            } else if (isEndToEnd(name)) {
                object(Refusal.BAD_REQUEST);
            }
        }
        return keepAlive;
    }

    private boolean isEndToEnd(String name) {
        return FRONT.contains(name)
                || name.equals("authorization")
                || (kept.containsKey(name) && !HopByHop.has(name));
    }

    Map<String, String> kept() {
        return kept;
    }

    private void object(Refusal reason) {
        if (objection.isEmpty()) {
            objection = Optional.of(reason);
        }
    }

    Optional<Refusal> objection() {
        return objection;
    }
}

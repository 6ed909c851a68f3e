package dev.sallyport.http;

import dev.sallyport.policy.Refusal;
import java.util.BitSet;
import java.util.Optional;

/// The first line of a request, split at exactly two spaces.
///
/// @param objection set when the line is clear but not served: another version, a method that is
///   not upper-case, a target that is not in the form of this listener
/// @param authority of an absolute-form target or of `CONNECT`, as sent
record RequestLine(
        String method,
        String path,
        String query,
        Optional<String> authority,
        Optional<Refusal> objection) {
    static final String OLD_VERSION = "HTTP/1.0";
    private static final String SCHEME = "http://";

    private static final int METHOD_CHARACTERS_MAX = 32;

    static RequestLine parse(String line, HeadForm form) throws BadHead {
        String[] parts = line.split(" ", -1);
        if (parts.length != 3
                || !Ascii.isToken(parts[0])
                || parts[1].isEmpty()
                || !isVersion(parts[2])) {
            throw BadHead.ambiguous();
        }
        boolean spoken = parts[2].equals("HTTP/1.1") || isOldConnect(parts, form);
        if (!spoken || !isMethod(parts[0])) {
            return refused(parts[0]);
        }
        return switch (form) {
            // CONNECT has an authority, not a path (RFC 9110, section 9.3.6).
            case FRONT, WEB ->
                    parts[0].equals("CONNECT")
                            ? refused(parts[0])
                            : origin(parts[0], parts[1], Optional.empty(), form);
            case PROXY -> proxied(parts[0], parts[1]);
        };
    }

    private static boolean isVersion(String text) {
        return text.length() == OLD_VERSION.length()
                && text.startsWith("HTTP/")
                && Ascii.DIGIT.get(text.charAt(5))
                && text.charAt(6) == '.'
                && Ascii.DIGIT.get(text.charAt(7));
    }

    /// Python before 3.12 asks proxies in HTTP/1.0, without Host. What follows is not HTTP, so the
    /// version makes no difference to it.
    private static boolean isOldConnect(String[] parts, HeadForm form) {
        return form == HeadForm.PROXY && parts[0].equals("CONNECT") && parts[2].equals(OLD_VERSION);
    }

    private static RequestLine refused(String method) {
        return new RequestLine(method, "", "", Optional.empty(), Optional.of(Refusal.BAD_REQUEST));
    }

    private static RequestLine origin(
            String method, String target, Optional<String> authority, HeadForm form) {
        int mark = target.indexOf('?');
        String path = mark < 0 ? target : target.substring(0, mark);
        String query = mark < 0 ? "" : target.substring(mark + 1);
        boolean clear =
                path.startsWith("/")
                        && consistsOf(path, Ascii.TARGET, "")
                        && switch (form) {
                            case FRONT -> consistsOf(query, Ascii.TARGET, "");
                            case WEB, PROXY -> consistsOf(query, Ascii.QUERY, "\t\r\n");
                        };
        return clear
                ? new RequestLine(method, path, query, authority, Optional.empty())
                : refused(method);
    }

    /// RFC 9112, sections 3.2.2 and 3.2.3. Only plain HTTP is asked for in absolute form; whoever
    /// wants TLS says `CONNECT`.
    private static RequestLine proxied(String method, String target) {
        if (!Ascii.isPlain(target)) {
            return refused(method);
        }
        if (method.equals("CONNECT")) {
            return new RequestLine(method, "", "", Optional.of(target), Optional.empty());
        }
        if (!target.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
            return refused(method);
        }
        int end = SCHEME.length();
        while (end < target.length() && "/?".indexOf(target.charAt(end)) < 0) {
            end++;
        }
        String rest = target.substring(end);
        return origin(
                method,
                rest.startsWith("/") ? rest : "/" + rest,
                Optional.of(target.substring(SCHEME.length(), end)),
                HeadForm.PROXY);
    }

    private static boolean isMethod(String text) {
        return text.length() <= METHOD_CHARACTERS_MAX && Ascii.consistsOf(Ascii.METHOD, text);
    }

    /// An escaped control byte is refused here, so that no door can be made to decode one.
    ///
    /// @param controls those that may be escaped all the same
    private static boolean consistsOf(String text, BitSet plain, String controls) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '%' ? !isEscape(text, i, controls) : !plain.get(c)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isEscape(String text, int percent, String controls) {
        if (percent + 2 >= text.length()) {
            return false;
        }
        int high = Ascii.hex(text.charAt(percent + 1));
        int low = Ascii.hex(text.charAt(percent + 2));
        int value = high * 16 + low;
        boolean printable = value >= 0x20 && value != 0x7f;
        return high >= 0 && low >= 0 && (printable || controls.indexOf(value) >= 0);
    }
}

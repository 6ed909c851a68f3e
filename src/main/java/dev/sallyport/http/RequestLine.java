package dev.sallyport.http;

import dev.sallyport.policy.Refusal;
import java.util.Optional;
import java.util.regex.Pattern;

/// The first line of a request, split at exactly two spaces.
///
/// @param objection set when the line is clear but not served: another version, a method that is
///   not upper-case, a target that is not in origin-form
record RequestLine(String method, String path, String query, Optional<Refusal> objection) {
    private static final Pattern VERSION = Pattern.compile("HTTP/[0-9]\\.[0-9]");
    private static final int METHOD_CHARACTERS_MAX = 32;

    static RequestLine parse(String line) throws BadHead {
        String[] parts = line.split(" ", -1);
        if (parts.length != 3
                || !Ascii.consistsOf(Ascii.TOKEN, parts[0])
                || parts[1].isEmpty()
                || !VERSION.matcher(parts[2]).matches()) {
            throw BadHead.ambiguous();
        }
        boolean served =
                parts[2].equals("HTTP/1.1") && isMethod(parts[0]) && isOriginForm(parts[1]);
        int mark = parts[1].indexOf('?');
        String path = mark < 0 ? parts[1] : parts[1].substring(0, mark);
        String query = mark < 0 ? "" : parts[1].substring(mark + 1);
        return new RequestLine(
                parts[0],
                path,
                query,
                served ? Optional.empty() : Optional.of(Refusal.BAD_REQUEST));
    }

    private static boolean isMethod(String text) {
        return text.length() <= METHOD_CHARACTERS_MAX && Ascii.consistsOf(Ascii.METHOD, text);
    }

    private static boolean isOriginForm(String target) {
        if (target.charAt(0) != '/') {
            return false;
        }
        for (int i = 0; i < target.length(); i++) {
            char c = target.charAt(i);
            if (c == '%' ? !isPrintableEscape(target, i) : !Ascii.TARGET.get(c)) {
                return false;
            }
        }
        return true;
    }

    /// An escaped control byte is refused here, so that no door can be made to decode one.
    private static boolean isPrintableEscape(String target, int percent) {
        if (percent + 2 >= target.length()) {
            return false;
        }
        int high = Ascii.hex(target.charAt(percent + 1));
        int low = Ascii.hex(target.charAt(percent + 2));
        int value = high * 16 + low;
        return high >= 0 && low >= 0 && value >= 0x20 && value != 0x7f;
    }
}

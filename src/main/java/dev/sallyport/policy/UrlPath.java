package dev.sallyport.policy;

import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// The path of a URL in its one accepted spelling. What two servers could read in two ways is
/// refused rather than folded: dot segments, empty segments, backslashes, escapes of any of these,
/// escapes of escapes, control bytes (CVE-2021-29492, CVE-2024-38819), and characters beyond ASCII
/// that a careless server folds into one of these.
///
/// The one escaped slash that is read is that of a scoped npm package, `/@scope%2fname`, where both
/// readings mean the same package. It passes only where a pattern is about scopes ([UrlPattern]).
public final class UrlPath {
    private static final int LENGTH_MAX = 8_192;
    private static final String UNRESERVED = "-._~";
    private static final String SUB_DELIMS = "!$&'()*+,;=:@";

    private final List<String> segments;

    private UrlPath(List<String> segments) {
        this.segments = List.copyOf(segments);
    }

    public static UrlPath parse(String raw) throws MalformedNameException {
        if (raw.isEmpty() || raw.length() > LENGTH_MAX || raw.charAt(0) != '/') {
            throw new MalformedNameException("a path begins with a slash");
        }
        List<String> segments = new ArrayList<>();
        String[] parts = raw.substring(1).split("/", -1);
        for (int i = 0; i < parts.length; i++) {
            boolean last = i == parts.length - 1;
            if (parts[i].isEmpty() && !last) {
                throw new MalformedNameException("a path has no empty segments");
            }
            segments.add(segment(parts[i]));
        }
        return new UrlPath(segments);
    }

    private static String segment(String raw) throws MalformedNameException {
        String decoded = isScopedPackage(raw) ? raw.replaceFirst("%2[fF]", "\0") : decode(raw);
        String folded = folded(decoded);
        String beforeParameters = folded.split(";", 2)[0];
        if (beforeParameters.equals(".") || beforeParameters.equals("..")) {
            throw new MalformedNameException("a path has no dot segments");
        }
        if (!folded.equals(decoded) && folded.chars().anyMatch(c -> isForbidden((char) c))) {
            throw new MalformedNameException("a path has a character that is not accepted");
        }
        return decoded;
    }

    /// As the most careless server reads it: full-width dots and slashes are dots and slashes.
    /// Bytes that are not UTF-8 are refused, above all the long forms of ASCII (CVE-2000-0884).
    private static String folded(String decoded) throws MalformedNameException {
        if (decoded.chars().allMatch(c -> c < 0x80)) {
            return decoded;
        }
        byte[] bytes = decoded.getBytes(StandardCharsets.ISO_8859_1);
        String text = new String(bytes, StandardCharsets.UTF_8);
        if (!Arrays.equals(bytes, text.getBytes(StandardCharsets.UTF_8))) {
            throw new MalformedNameException("the escapes of a path are UTF-8");
        }
        return Normalizer.normalize(text, Normalizer.Form.NFKC);
    }

    private static boolean isScopedPackage(String raw) {
        return raw.matches("@[A-Za-z0-9~][A-Za-z0-9._~-]*%2[fF][A-Za-z0-9~][A-Za-z0-9._~-]*");
    }

    private static String decode(String raw) throws MalformedNameException {
        StringBuilder bytes = new StringBuilder();
        for (int i = 0; i < raw.length(); i++) {
            char c = raw.charAt(i);
            if (c == '%') {
                c = escaped(raw, i);
                i += 2;
            } else if (!isPlain(c)) {
                throw new MalformedNameException("a path has a character that must be escaped");
            }
            bytes.append(c);
        }
        return bytes.toString();
    }

    private static char escaped(String raw, int percent) throws MalformedNameException {
        if (percent + 2 >= raw.length()) {
            throw new MalformedNameException("a path has half an escape");
        }
        int high = Character.digit(raw.charAt(percent + 1), 16);
        int low = Character.digit(raw.charAt(percent + 2), 16);
        char value = (char) (high * 16 + low);
        if (high < 0 || low < 0 || isForbidden(value)) {
            throw new MalformedNameException("a path has an escape that is not accepted");
        }
        return value;
    }

    private static boolean isForbidden(char c) {
        return c < ' ' || c == 0x7f || "/\\%".indexOf(c) >= 0;
    }

    private static boolean isPlain(char c) {
        return isUnreserved(c) || SUB_DELIMS.indexOf(c) >= 0;
    }

    private static boolean isUnreserved(char c) {
        return (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z')
                || (c >= '0' && c <= '9')
                || UNRESERVED.indexOf(c) >= 0;
    }

    /// Decoded, each byte as one character (ISO 8859-1), so that nothing is lost. An escaped slash
    /// parts two segments as any other does.
    public List<String> segments() {
        return segments.stream().flatMap(s -> Arrays.stream(s.split("\0", -1))).toList();
    }

    boolean hasEscapedSlash() {
        return segments.stream().anyMatch(segment -> segment.indexOf(0) >= 0);
    }

    /// The spelling that goes upstream: everything escaped that could be.
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (String segment : segments) {
            text.append('/');
            for (byte b : segment.getBytes(StandardCharsets.ISO_8859_1)) {
                char c = (char) (b & 0xff);
                text.append(c == 0 ? "%2f" : isPlain(c) ? "" + c : "%%%02X".formatted((int) c));
            }
        }
        return text.toString();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof UrlPath that && segments.equals(that.segments);
    }

    @Override
    public int hashCode() {
        return segments.hashCode();
    }
}

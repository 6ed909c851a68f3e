package dev.sallyport.push;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A file that stands for a large one (git-lfs, `docs/spec.md`), where a push adds it.
///
/// @param oid SHA-256 of the content, in lower case
/// @param place path and commit in printable text, for whoever pushed
public record LfsPointer(String oid, long size, String place) {
    /// git-lfs looks at this much of a file; what follows may be anything.
    static final int BYTES_MAX = 1_024;

    private static final byte[] BEGINNING = "version http".getBytes(StandardCharsets.US_ASCII);

    /// Of all versions of git-lfs: the present ones read the old names as well.
    private static final Set<String> VERSIONS =
            Set.of(
                    "https://git-lfs.github.com/spec/v1",
                    "https://hawser.github.com/spec/v1",
                    "http://git-media.io/v/2");

    private static final List<String> KEYS = List.of("version", "oid", "size");
    private static final String EXTENSION = "ext-";
    private static final Pattern OID =
            Pattern.compile("sha256:([0-9a-fA-F]{64}).*", Pattern.DOTALL);
    private static final Pattern SIZE = Pattern.compile("[+-]?[0-9]+");

    /// Whether it is worth reading: the first line may stand behind blanks of any alphabet and
    /// behind extensions.
    static boolean isLike(byte[] content) {
        int end = Math.min(content.length, BYTES_MAX) - BEGINNING.length;
        for (int at = 0; at <= end; at++) {
            boolean begins = at == 0 || content[at - 1] <= ' ';
            if (begins
                    && content[at] == BEGINNING[0]
                    && Arrays.equals(
                            content, at, at + BEGINNING.length, BEGINNING, 0, BEGINNING.length)) {
                return true;
            }
        }
        return false;
    }

    /// Empty when git-lfs would take it for an ordinary file. It reads more than it writes: empty
    /// lines, ends of lines as on Windows, blanks around all of it, zeros before a size, lines of
    /// extensions anywhere before the last. What it reads and we do not would not be looked for
    /// upstream (`LfsPointerTest` compares).
    static Optional<LfsPointer> parse(byte[] content, String place) {
        int length = Math.min(content.length, BYTES_MAX);
        Map<String, String> values = new HashMap<>();
        for (String line : trimmed(content, length).split("\r*\n", -1)) {
            String[] parts = line.split(" ", 2);
            if (line.isEmpty()) {
                continue;
            }
            if (parts.length < 2 || values.size() == KEYS.size()) {
                return Optional.empty();
            }
            if (parts[0].equals(KEYS.get(values.size()))) {
                values.put(parts[0], parts[1]);
            } else if (!parts[0].startsWith(EXTENSION)) {
                return Optional.empty();
            }
        }
        return values.size() == KEYS.size() ? pointer(values, place) : Optional.empty();
    }

    private static Optional<LfsPointer> pointer(Map<String, String> values, String place) {
        Matcher oid = OID.matcher(values.getOrDefault("oid", ""));
        Optional<Long> size = size(values.getOrDefault("size", ""));
        return VERSIONS.contains(values.getOrDefault("version", ""))
                        && oid.matches()
                        && size.isPresent()
                ? Optional.of(
                        new LfsPointer(oid.group(1).toLowerCase(Locale.ROOT), size.get(), place))
                : Optional.empty();
    }

    private static Optional<Long> size(String text) {
        if (!SIZE.matcher(text).matches()) {
            return Optional.empty();
        }
        BigInteger size = new BigInteger(text);
        return size.signum() < 0 || size.bitLength() >= Long.SIZE
                ? Optional.empty()
                : Optional.of(size.longValue());
    }

    private static String trimmed(byte[] content, int length) {
        String text = new String(content, 0, length, StandardCharsets.UTF_8);
        int from = 0;
        int to = text.length();
        while (from < to && isBlank(text.charAt(from))) {
            from++;
        }
        while (from < to && isBlank(text.charAt(to - 1))) {
            to--;
        }
        return text.substring(from, to);
    }

    /// As Unicode has it (`White_Space`), and a few more.
    private static boolean isBlank(char c) {
        return Character.isWhitespace(c) || Character.isSpaceChar(c) || c == '\u0085';
    }
}

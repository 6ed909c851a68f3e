package dev.sallyport.push;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A file that stands for a large one (git-lfs, `docs/spec.md`), where a push adds it.
///
/// @param oid SHA-256 of the content, in lower case
/// @param place path and commit in printable text, for whoever pushed
public record LfsPointer(String oid, long size, String place) {
    /// No pointer is longer.
    static final int BYTES_MAX = 1_024;

    private static final byte[] BEGINNING = "version http".getBytes(StandardCharsets.US_ASCII);

    /// Of all versions of git-lfs: the present ones read the old names as well.
    private static final Set<String> VERSIONS =
            Set.of(
                    "version https://git-lfs.github.com/spec/v1",
                    "version https://hawser.github.com/spec/v1",
                    "version http://git-media.io/v/2");

    private static final Pattern OID = Pattern.compile("oid sha256:([0-9a-fA-F]{64}).*");
    private static final Pattern SIZE = Pattern.compile("size \\+?([0-9]{1,18})");

    /// Whether it is worth to be read.
    static boolean isLike(byte[] content) {
        if (content.length > BYTES_MAX) {
            return false;
        }
        int from = 0;
        while (from < content.length && content[from] <= ' ' && content[from] >= 0) {
            from++;
        }
        int to = from + BEGINNING.length;
        return to <= content.length
                && Arrays.equals(content, from, to, BEGINNING, 0, BEGINNING.length);
    }

    /// Empty when git-lfs would take it for an ordinary file. It reads more than it writes: empty
    /// lines, ends of lines as on Windows, space around all of it, and lines of extensions between
    /// the first and the last two.
    static Optional<LfsPointer> parse(byte[] content, String place) {
        List<String> lines =
                new String(content, StandardCharsets.UTF_8)
                        .strip()
                        .lines()
                        .filter(line -> !line.isEmpty())
                        .toList();
        if (lines.size() < 3 || !VERSIONS.contains(lines.getFirst())) {
            return Optional.empty();
        }
        Matcher oid = OID.matcher(lines.get(lines.size() - 2));
        Matcher size = SIZE.matcher(lines.getLast());
        return oid.matches() && size.matches()
                ? Optional.of(
                        new LfsPointer(
                                oid.group(1).toLowerCase(Locale.ROOT),
                                Long.parseLong(size.group(1)),
                                place))
                : Optional.empty();
    }
}

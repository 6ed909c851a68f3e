package dev.sallyport.config;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;

/// A file that a sandbox finds in its home directory, such as an agent's settings. It is not a
/// boundary and holds no secret: the sandbox may change it at will.
///
/// @param path relative to the home directory, without `.` and `..`
/// @param content text; the file gets mode 0600
/// @param replaces whether it takes the place of a file that is there already
public record Seed(String path, String content, boolean replaces) {
    private static final int COUNT_MAX = 64;
    private static final int PATH_CHARS_MAX = 200;

    /// They are stored with the session, which is read whole.
    private static final int BYTES_MAX = 128 << 10;

    private static final Pattern PATH =
            Pattern.compile("(?!\\.{1,2}(/|$))[\\w.+@-]+(/(?!\\.{1,2}(/|$))[\\w.+@-]+)*");

    /// One that leaves what is there.
    public Seed(String path, String content) {
        this(path, content, false);
    }

    public Seed {
        if (path.length() > PATH_CHARS_MAX || !PATH.matcher(path).matches()) {
            throw new IllegalArgumentException(
                    "a seed's path is relative to the home directory, of letters, digits and ._+@-");
        }
        if (content.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("a seed is text");
        }
    }

    /// With a value for what stands as `${name}` in it.
    public Seed with(String name, String value) {
        return new Seed(path, content.replace("${" + name + "}", value), replaces);
    }

    /// All of one sandbox.
    ///
    /// @throws IllegalArgumentException when there are too many, or too much is in them
    public static List<Seed> few(List<Seed> seeds) {
        long bytes =
                seeds.stream()
                        .mapToLong(seed -> seed.content.getBytes(StandardCharsets.UTF_8).length)
                        .sum();
        if (seeds.size() > COUNT_MAX || bytes > BYTES_MAX) {
            throw new IllegalArgumentException(
                    "a sandbox has at most " + COUNT_MAX + " seeds with 128 KiB in all");
        }
        return List.copyOf(seeds);
    }
}

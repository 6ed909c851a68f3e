package dev.sallyport.warden;

import java.security.SecureRandom;
import java.util.regex.Pattern;

/// The names of sandboxes: short, lower case, safe in paths, labels and host names.
final class SandboxNames {
    private static final Pattern FORM = Pattern.compile("[a-z0-9][a-z0-9-]{0,30}");
    private static final Pattern OF_HOST =
            Pattern.compile("[a-z0-9][a-z0-9-]{0,62}\\." + FORM.pattern());
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final String[] FIRST = {
        "amber", "brisk", "calm", "deft", "eager", "fleet", "glad", "hardy", "ivory", "jolly",
        "keen", "lucid", "merry", "noble", "olive", "proud", "quiet", "rapid", "sunny", "tidy",
    };
    private static final String[] SECOND = {
        "arch", "badge", "cedar", "drum", "ember", "falcon", "gate", "harbor", "iris", "jetty",
        "keep", "lantern", "moat", "oak", "pike", "quill", "rook", "spire", "tower", "wren",
    };

    static String parse(String text) throws OperationException {
        if (!FORM.matcher(text).matches()) {
            throw OperationException.invalid(
                    "Not a valid sandbox name.",
                    "Use 1 to 31 lower-case letters, digits and hyphens, starting with a letter or digit.");
        }
        return text;
    }

    /// The name of one that there may be, here or on another machine.
    static String parseAny(String text) throws OperationException {
        return OF_HOST.matcher(text).matches() ? text : parse(text);
    }

    /// For a sandbox of another machine. Neither name has a dot, so it can be no other one's.
    static String ofHost(String host, String name) {
        return host + "." + name;
    }

    /// Two words and four hex digits; easy to tell apart, unlikely to be taken.
    static String generate() {
        return FIRST[RANDOM.nextInt(FIRST.length)]
                + "-"
                + SECOND[RANDOM.nextInt(SECOND.length)]
                + "-"
                + String.format("%04x", RANDOM.nextInt(1 << 16));
    }
}

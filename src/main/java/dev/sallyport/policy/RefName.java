package dev.sallyport.policy;

/// A full ref name (`refs/heads/agent/fix`) that satisfies git's own grammar, `git
/// check-ref-format`, in printable ASCII or UTF-8 without control characters.
public record RefName(String value) {
    private static final int LENGTH_MAX = 1024;
    private static final String FORBIDDEN = " ~^:?*[\\\u007f";

    public RefName {
        try {
            check(value);
        } catch (MalformedNameException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    public static RefName parse(String text) throws MalformedNameException {
        check(text);
        return new RefName(text);
    }

    private static void check(String text) throws MalformedNameException {
        if (text.length() > LENGTH_MAX || !text.startsWith("refs/")) {
            throw new MalformedNameException(
                    "a ref begins with refs/ and has at most 1024 characters");
        }
        if (text.contains("..")
                || text.contains("@{")
                || text.endsWith(".")
                || hasForbiddenCharacter(text)) {
            throw new MalformedNameException("a ref follows the grammar of git check-ref-format");
        }
        String[] components = text.split("/", -1);
        if (components.length < 3) {
            throw new MalformedNameException(
                    "a ref has a category and a name, as in refs/heads/main");
        }
        for (String component : components) {
            if (component.isEmpty() || component.startsWith(".") || component.endsWith(".lock")) {
                throw new MalformedNameException(
                        "no component of a ref is empty, begins with a dot or ends in .lock");
            }
        }
    }

    private static boolean hasForbiddenCharacter(String text) {
        return text.codePoints()
                .anyMatch(
                        c ->
                                c < 0x20
                                        || FORBIDDEN.indexOf(c) >= 0
                                        || Character.isISOControl(c)
                                        || Character.getType(c) == Character.FORMAT
                                        || c == 0xFFFD);
    }

    public boolean isBranch() {
        return value.startsWith("refs/heads/");
    }

    public boolean isTag() {
        return value.startsWith("refs/tags/");
    }

    /// The name without `refs/heads/` or `refs/tags/`, as people write it.
    public String shortName() {
        return value.substring(value.indexOf('/', "refs/".length()) + 1);
    }

    @Override
    public String toString() {
        return value;
    }
}

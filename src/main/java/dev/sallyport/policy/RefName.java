package dev.sallyport.policy;

import java.util.List;

/// A full ref name (`refs/heads/agent/fix`) that satisfies git's own grammar, `git
/// check-ref-format`, in printable ASCII or UTF-8 without control characters.
public record RefName(String value) {
    private static final List<String> REVIEWS =
            List.of(
                    "refs/for/",
                    "refs/for-review/",
                    "refs/draft/",
                    "refs/drafts/",
                    "refs/publish/",
                    "refs/changes/",
                    "refs/merge-requests/");
    private static final int LENGTH_MAX = 1024;
    private static final String FORBIDDEN = " ~^:?*[\\";
    private static final int UNDECODED = 0xFFFD;

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

    /// Stricter than git about what cannot be seen or was not decoded: such a name looks like
    /// another one to whoever reviews it.
    private static boolean hasForbiddenCharacter(String text) {
        return text.codePoints().anyMatch(c -> FORBIDDEN.indexOf(c) >= 0 || isInvisible(c));
    }

    private static boolean isInvisible(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.UNASSIGNED,
                    Character.SPACE_SEPARATOR,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR ->
                    true;
            default -> c == UNDECODED;
        };
    }

    public boolean isBranch() {
        return value.startsWith("refs/heads/");
    }

    /// Whether a push to it opens a review instead of changing a ref: AGit's of Gitea and Forgejo,
    /// Gerrit's; or whether it is one that a host makes itself for reviews.
    public boolean isReview() {
        return REVIEWS.stream().anyMatch(value::startsWith);
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

package dev.sallyport.policy;

import java.util.List;

/// A glob over branch names, or over full ref names when made by [#parseFull]: `*` stands for any
/// characters within one component, `**` as a whole component for one or more components. It
/// matches the whole name, never a part, and is case-sensitive like git.
public final class RefPattern {
    private final String text;
    private final List<String> components;

    private RefPattern(String text) {
        this.text = text;
        this.components = List.of(text.split("/", -1));
    }

    public static RefPattern parse(String text) throws MalformedNameException {
        if (text.startsWith("refs/")) {
            throw new MalformedNameException("a branch is written without refs/heads/");
        }
        return checked(text, "refs/heads/");
    }

    /// A pattern over full names, as in `refs/heads/agent/**` or `refs/tags/*`.
    public static RefPattern parseFull(String text) throws MalformedNameException {
        if (!text.startsWith("refs/")) {
            throw new MalformedNameException("a ref is written in full, as in refs/heads/main");
        }
        return checked(text, "");
    }

    private static RefPattern checked(String text, String category) throws MalformedNameException {
        // What remains when wildcards are taken away must be a name that git could hold.
        RefName.parse(category + text.replace("*", "x"));
        RefPattern pattern = new RefPattern(text);
        Glob.requireForm(pattern.components);
        return pattern;
    }

    public boolean matches(RefName ref) {
        return ref.isBranch() && covers(ref.shortName());
    }

    /// For a pattern made by [#parseFull].
    boolean matchesFull(RefName ref) {
        return covers(ref.value());
    }

    /// For a pattern made by [#parseFull]: whether it covers branches or tags and nothing else.
    boolean isTrustedCategory() {
        return text.startsWith("refs/heads/") || text.startsWith("refs/tags/");
    }

    /// Whether every name of the other is surely one of this; both were made in the same way.
    boolean covers(RefPattern other) {
        return Overlap.covers(text, other.text, 1);
    }

    private boolean covers(String text) {
        List<String> name = List.of(text.split("/", -1));
        return Glob.covers(components, name, 1);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RefPattern that && text.equals(that.text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    @Override
    public String toString() {
        return text;
    }
}

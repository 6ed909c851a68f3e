package dev.sallyport.policy;

import java.util.List;

/// A glob over branch names: `*` stands for any characters within one component, `**` as a whole
/// component for one or more components. It matches the whole name, never a part, and is
/// case-sensitive like git.
///
/// Matching takes time proportional to pattern times name, whatever the name: a sandbox chooses it,
/// so there is no regular expression to lead astray.
public final class RefPattern {
    private static final String ANY_COMPONENTS = "**";

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
        // What remains when wildcards are taken away must be a name that git could hold.
        RefName.parse("refs/heads/" + text.replace("*", "x"));
        RefPattern pattern = new RefPattern(text);
        for (String component : pattern.components) {
            if (component.contains(ANY_COMPONENTS) && !component.equals(ANY_COMPONENTS)) {
                throw new MalformedNameException("** stands alone between slashes");
            }
        }
        return pattern;
    }

    public boolean matches(RefName ref) {
        return ref.isBranch() && covers(List.of(ref.shortName().split("/", -1)));
    }

    /// `reached[j]` says whether the components of the pattern so far can cover the first `j`
    /// components of the name.
    private boolean covers(List<String> name) {
        boolean[] reached = new boolean[name.size() + 1];
        reached[0] = true;
        for (String component : components) {
            boolean[] next = new boolean[name.size() + 1];
            for (int j = 1; j < next.length; j++) {
                next[j] =
                        component.equals(ANY_COMPONENTS)
                                ? reached[j - 1] || next[j - 1]
                                : reached[j - 1] && covers(component, name.get(j - 1));
            }
            reached = next;
        }
        return reached[name.size()];
    }

    /// One component: on a mismatch only the last `*` needs to take one character more.
    private static boolean covers(String glob, String word) {
        int g = 0;
        int star = -1;
        int retry = 0;
        int w = 0;
        while (w < word.length()) {
            if (g < glob.length() && glob.charAt(g) == '*') {
                star = g++;
                retry = w;
            } else if (g < glob.length() && glob.charAt(g) == word.charAt(w)) {
                g++;
                w++;
            } else if (star >= 0) {
                g = star + 1;
                w = ++retry;
            } else {
                return false;
            }
        }
        while (g < glob.length() && glob.charAt(g) == '*') {
            g++;
        }
        return g == glob.length();
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

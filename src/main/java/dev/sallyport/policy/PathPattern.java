package dev.sallyport.policy;

import java.text.Normalizer;
import java.util.List;
import java.util.Locale;

/// A glob over the paths of a repository: `*` stands for any characters within one component, `**`
/// as a whole component for any number of components, none included. It matches the whole path.
public final class PathPattern {
    private static final int LENGTH_MAX = 1_024;

    private final String text;
    private final List<String> components;
    private final List<String> folded;

    private PathPattern(String text) {
        this.text = text;
        this.components = List.of(text.split("/", -1));
        this.folded = List.of(fold(text).split("/", -1));
    }

    public static PathPattern parse(String text) throws MalformedNameException {
        if (text.isEmpty() || text.length() > LENGTH_MAX) {
            throw new MalformedNameException("a path pattern has 1 to 1024 characters");
        }
        if (text.chars().anyMatch(Character::isISOControl) || text.indexOf('\\') >= 0) {
            throw new MalformedNameException(
                    "a path pattern has no control characters and no backslash");
        }
        for (String component : text.split("/", -1)) {
            if (component.isEmpty() || component.equals(".") || component.equals("..")) {
                throw new MalformedNameException(
                        "a path pattern is relative, without empty components, . and ..");
            }
            if (component.contains(Glob.ANY_COMPONENTS) && !component.equals(Glob.ANY_COMPONENTS)) {
                throw new MalformedNameException("** stands alone between slashes");
            }
        }
        return new PathPattern(text);
    }

    /// For patterns that the code itself contains.
    static PathPattern of(String text) {
        try {
            return parse(text);
        } catch (MalformedNameException e) {
            throw new AssertionError(e);
        }
    }

    /// Exactly, case included: for what is allowed.
    public boolean matches(String path) {
        List<String> name = List.of(path.split("/", -1));
        return Glob.reach(components, name, 0)[name.size()];
    }

    /// As a file system that ignores case and Unicode forms would: for what is denied.
    public boolean matchesLoosely(String path) {
        List<String> name = List.of(fold(path).split("/", -1));
        return Glob.reach(folded, name, 0)[name.size()];
    }

    /// Whether paths below this one can match, as a file system that ignores case would see it. A
    /// link or submodule there stands for whatever it leads to.
    public boolean leadsThrough(String path) {
        List<String> name = List.of(fold(path).split("/", -1));
        for (int i = 0; i < folded.size(); i++) {
            if (Glob.reach(folded.subList(0, i), name, 0)[name.size()]) {
                return true;
            }
        }
        return matchesLoosely(path);
    }

    private static String fold(String path) {
        String upper = Normalizer.normalize(path, Normalizer.Form.NFKC).toUpperCase(Locale.ROOT);
        return Normalizer.normalize(upper.toLowerCase(Locale.ROOT), Normalizer.Form.NFKC);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PathPattern that && text.equals(that.text);
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

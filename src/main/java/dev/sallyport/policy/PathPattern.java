package dev.sallyport.policy;

import java.util.List;

/// A glob over the paths of a repository: `*` stands for any characters within one component, `**`
/// as a whole component for any number of components, none included. It matches the whole path.
public final class PathPattern {
    private static final int LENGTH_MAX = 1_024;

    private final String text;
    private final List<String> components;
    private final List<String> loose;

    private PathPattern(String text) {
        this.text = text;
        this.components = List.of(text.split("/", -1));
        this.loose = LooseForm.components(text);
    }

    public static PathPattern parse(String text) throws MalformedNameException {
        if (text.isEmpty() || text.length() > LENGTH_MAX) {
            throw new MalformedNameException("a path pattern has 1 to 1024 characters");
        }
        if (text.chars().anyMatch(Character::isISOControl) || text.indexOf('\\') >= 0) {
            throw new MalformedNameException(
                    "a path pattern has no control characters and no backslash");
        }
        List<String> components = List.of(text.split("/", -1));
        for (String component : components) {
            if (component.isEmpty() || component.equals(".") || component.equals("..")) {
                throw new MalformedNameException(
                        "a path pattern is relative, without empty components, . and ..");
            }
            if (hasLookAlike(component)) {
                throw new MalformedNameException(
                        "a path pattern has no look-alike of * or /, such as the full-width ones");
            }
        }
        Glob.requireForm(components);
        return new PathPattern(text);
    }

    /// Whether its loose form would mean more or less than what a person sees.
    private static boolean hasLookAlike(String component) {
        String loose = LooseForm.of(component);
        return loose.indexOf('/') >= 0 || stars(loose) != stars(component);
    }

    private static long stars(String text) {
        return text.chars().filter(c -> c == '*').count();
    }

    /// For patterns that the code itself contains.
    public static PathPattern of(String text) {
        try {
            return parse(text);
        } catch (MalformedNameException e) {
            throw new AssertionError(e);
        }
    }

    /// Exactly, case included: for what is allowed.
    public boolean matches(String path) {
        return Glob.covers(components, List.of(path.split("/", -1)), 0);
    }

    /// As some file system would, the most careless one included: for what is denied. What matches
    /// exactly matches loosely.
    public boolean matchesLoosely(String path) {
        return LooseForm.readings(path).stream()
                        .anyMatch(name -> Glob.covers(loose, name, 0, PathPattern::coversLoosely))
                || matches(path);
    }

    private static boolean coversLoosely(String glob, String name) {
        return Glob.covers(glob, name) || ShortName.mayStandFor(glob, name);
    }

    /// Whether this path matches loosely or paths below it can. A link or submodule there stands
    /// for whatever it leads to.
    public boolean leadsThrough(String path) {
        return LooseForm.readings(path).stream()
                        .anyMatch(
                                name ->
                                        Glob.leadsThrough(
                                                loose, name, 0, PathPattern::coversLoosely))
                || Glob.leadsThrough(components, List.of(path.split("/", -1)), 0);
    }

    /// Whether every path that the other matches exactly is surely one that this does.
    boolean covers(PathPattern other) {
        return Overlap.covers(text, other.text, 0);
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

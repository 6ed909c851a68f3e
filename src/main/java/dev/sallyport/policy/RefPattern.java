package dev.sallyport.policy;

import java.util.regex.Pattern;

/// A glob over branch names: `*` stands for any characters within one component, `**` as a whole
/// component for one or more components. It matches the whole name, never a part, and is
/// case-sensitive like git.
public final class RefPattern {
    private final String text;
    private final Pattern regex;

    private RefPattern(String text, Pattern regex) {
        this.text = text;
        this.regex = regex;
    }

    public static RefPattern parse(String text) throws MalformedNameException {
        StringBuilder regex = new StringBuilder();
        for (String component : text.split("/", -1)) {
            regex.append(regex.isEmpty() ? "" : "/").append(componentRegex(component));
        }
        // What remains when wildcards are taken away must be a name that git could hold.
        RefName.parse("refs/heads/" + text.replace("*", "x"));
        return new RefPattern(text, Pattern.compile(regex.toString(), Pattern.DOTALL));
    }

    private static String componentRegex(String component) throws MalformedNameException {
        if (component.equals("**")) {
            return "[^/]+(?:/[^/]+)*";
        }
        if (component.contains("**")) {
            throw new MalformedNameException("** stands alone between slashes");
        }
        StringBuilder regex = new StringBuilder();
        for (String literal : component.split("((?<=\\*)|(?=\\*))", -1)) {
            regex.append(literal.equals("*") ? "[^/]*" : Pattern.quote(literal));
        }
        return regex.toString();
    }

    public boolean matches(RefName ref) {
        return ref.isBranch() && regex.matcher(ref.shortName()).matches();
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

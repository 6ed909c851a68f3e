package dev.sallyport.policy;

import java.util.List;

/// A glob over the paths of URLs: `*` stands for any characters within one segment, `**` as a whole
/// segment for any number of segments, none included. It matches the whole path, and case matters.
public final class UrlPattern {
    private static final int LENGTH_MAX = 1_024;

    private final String text;
    private final List<String> segments;

    private UrlPattern(String text) {
        this.text = text;
        this.segments = List.of(text.substring(1).split("/", -1));
    }

    public static UrlPattern parse(String text) throws MalformedNameException {
        if (text.length() > LENGTH_MAX || !text.startsWith("/")) {
            throw new MalformedNameException("a path pattern begins with a slash");
        }
        if (text.chars().anyMatch(c -> c <= ' ' || c >= 0x7f || "?#%\\;".indexOf(c) >= 0)) {
            throw new MalformedNameException(
                    "a path pattern is written without escapes, query and parameters");
        }
        List<String> segments = List.of(text.substring(1).split("/", -1));
        for (int i = 0; i < segments.size(); i++) {
            String segment = segments.get(i);
            boolean hole = segment.isEmpty() && i < segments.size() - 1;
            if (hole || segment.equals(".") || segment.equals("..")) {
                throw new MalformedNameException("a path pattern has no empty and no dot segments");
            }
        }
        Glob.requireForm(segments);
        return new UrlPattern(text);
    }

    /// An escaped slash is a slash to patterns that name a scope, and to others nothing.
    public boolean matches(UrlPath path) {
        return (!path.hasEscapedSlash() || namesScope())
                && Glob.covers(segments, path.segments(), 0);
    }

    /// This one, which ends in `**`, and one that says that there are scopes below.
    public List<UrlPattern> withScopes() {
        return List.of(this, new UrlPattern(text + "/@*/**"));
    }

    /// Whether it is about packages with a scope, as `/@*/*` is.
    boolean namesScope() {
        return segments.stream().anyMatch(segment -> segment.startsWith("@"));
    }

    /// Whether every path of the other is surely one of this, escaped slashes included.
    boolean covers(UrlPattern other) {
        return (namesScope() || !other.namesScope())
                && Overlap.covers(text.substring(1), other.text.substring(1), 0);
    }

    @Override
    public String toString() {
        return text;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof UrlPattern that && text.equals(that.text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }
}

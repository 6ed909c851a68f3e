package dev.sallyport.policy;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

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
        this.loose = LooseForm.components(components);
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
        return Parsing.known(text, PathPattern::parse);
    }

    /// Exactly, case included: for what is allowed.
    public boolean matches(PathName path) {
        return Glob.covers(components, path.exact(), 0);
    }

    public boolean matches(String path) {
        return matches(PathName.of(path));
    }

    /// As some file system would, the most careless one included: for what is denied. What matches
    /// exactly matches loosely.
    public boolean matchesLoosely(PathName path) {
        for (List<String> name : path.loose()) {
            if (Glob.covers(loose, name, 0, PathPattern::coversLoosely)) {
                return true;
            }
        }
        return matches(path);
    }

    public boolean matchesLoosely(String path) {
        return matchesLoosely(PathName.of(path));
    }

    private static boolean coversLoosely(String glob, String name) {
        return Glob.covers(glob, name) || ShortName.mayStandFor(glob, name);
    }

    /// Whether this path matches loosely or paths below it can. A link or submodule there stands
    /// for whatever it leads to.
    public boolean leadsThrough(PathName path) {
        for (List<String> name : path.loose()) {
            if (Glob.leadsThrough(loose, name, 0, PathPattern::coversLoosely)) {
                return true;
            }
        }
        return Glob.leadsThrough(components, path.exact(), 0);
    }

    public boolean leadsThrough(String path) {
        return leadsThrough(PathName.of(path));
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

    /// The second name that NTFS and FAT give to a file whose own one does not fit into eight and
    /// three characters: `GITHUB~1` for `.github`, `GITLAB~1.YML` for `.gitlab-ci.yml`.
    ///
    /// The number depends on what else is in the directory, and from about the fifth such name on
    /// the file system takes two letters and four digits of a checksum (`GI7EBA~1`). So this says
    /// what may be a short name of something, and is wrong on the side of yes.
    private static final class ShortName {
        private static final int BASE_MAX = 6;
        private static final int EXTENSION_MAX = 3;

        /// Of the letters that are kept before a checksum.
        private static final int HEAD = 2;

        private static final Pattern FORM =
                Pattern.compile("([^~.]{1,6})~([1-9][0-9]{0,5})(?:\\.([^.]{1,3}))?");
        private static final Pattern CHECKSUM = Pattern.compile("[0-9a-f]{1,4}");

        /// A name that is its own short name.
        private static final Pattern FITS =
                Pattern.compile("[^*. +,;=\\[\\]]{1,8}(\\.[^*. +,;=\\[\\]]{1,3})?");

        /// Whether `name` may stand for something that one component of a pattern covers. Both are
        /// in their loose form.
        static boolean mayStandFor(String glob, String name) {
            Matcher form = FORM.matcher(name);
            if (name.indexOf('~') < 0 || !form.matches() || FITS.matcher(glob).matches()) {
                return false;
            }
            String known =
                    glob.replace(" ", "").replaceFirst("^\\.+", "").replaceAll("[+,;=\\[\\]]", "_");
            int dot = known.lastIndexOf('.');
            boolean open = dot < 0 && known.indexOf('*') >= 0;
            String base = (dot < 0 ? known : known.substring(0, dot)).replace(".", "");
            String extension = dot < 0 ? "" : known.substring(dot + 1);
            String given = form.group(3) == null ? "" : form.group(3);
            int room = BASE_MAX + 1 - form.group(2).length();
            return (open || isCut(extension, given, EXTENSION_MAX))
                    && (isCut(base, form.group(1), room) || isChecksum(base, form.group(1), room));
        }

        /// Whether a name that the glob covers has this beginning when it is cut to `room`
        /// characters.
        private static boolean isCut(String glob, String beginning, int room) {
            int star = glob.indexOf('*');
            String known = star < 0 ? glob : glob.substring(0, star);
            String cut = known.substring(0, Math.min(known.length(), room));
            return star < 0 ? beginning.equals(cut) : beginning.startsWith(cut);
        }

        private static boolean isChecksum(String glob, String name, int room) {
            return name.length() == room
                    && room > HEAD
                    && isCut(glob, name.substring(0, HEAD), HEAD)
                    && CHECKSUM.matcher(name.substring(HEAD)).matches();
        }
    }
}

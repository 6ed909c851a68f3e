package dev.sallyport.policy;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The second name that NTFS and FAT give to a file whose own one does not fit into eight and three
/// characters: `GITHUB~1` for `.github`, `GITLAB~1.YML` for `.gitlab-ci.yml`.
///
/// The number depends on what else is in the directory, and from about the fifth such name on the
/// file system takes two letters and four digits of a checksum (`GI7EBA~1`). So this says what may
/// be a short name of something, and is wrong on the side of yes.
final class ShortName {
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

    private ShortName() {}

    /// Whether `name` may stand for something that one component of a pattern covers. Both are in
    /// their loose form.
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

    /// Whether a name that the glob covers has this beginning when it is cut to `room` characters.
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

package dev.sallyport.policy;

import java.text.Normalizer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/// The forms in which two paths are the same when some file system takes them for the same: without
/// case, without differences of Unicode form, without characters that cannot be seen; and, as
/// Windows reads them, without what follows a name.
///
/// The first one is made character by character and within each component, because what stands next
/// to a character must not change what a `*` beside it covers: composed forms, the Greek final
/// sigma and a full-width slash would.
public final class LooseForm {
    /// What HFS+ does not see in a name (git's list, all of it of category Cf), and all else that
    /// Unicode says is ignored by default (`Default_Ignorable_Code_Point`).
    private static final Pattern IGNORED =
            Pattern.compile(
                    "[\\p{Cf}\\x{34F}\\x{115F}\\x{1160}\\x{17B4}\\x{17B5}\\x{180B}-\\x{180F}\\x{2065}"
                            + "\\x{3164}\\x{FE00}-\\x{FE0F}\\x{FFA0}\\x{FFF0}-\\x{FFF8}\\x{E0000}-\\x{E0FFF}]");

    private static final Pattern SEPARATOR = Pattern.compile("[/\\\\]");
    private static final Pattern DRIVE = Pattern.compile("[a-z]:.+", Pattern.DOTALL);

    private LooseForm() {}

    /// A text without what nobody sees in it.
    public static String visible(String text) {
        return IGNORED.matcher(text).replaceAll("");
    }

    static List<String> components(List<String> path) {
        String[] loose = new String[path.size()];
        for (int i = 0; i < loose.length; i++) {
            loose[i] = of(path.get(i));
        }
        return List.of(loose);
    }

    /// All forms of a path that can differ. That of a directory is the beginning of that of what is
    /// in it.
    static List<List<String>> readings(List<String> path) {
        List<String> plain = components(path);
        if (!hasOdd(plain)) {
            return List.of(plain);
        }
        List<List<String>> readings = new ArrayList<>(List.of(plain, onWindows(plain)));
        if (DRIVE.matcher(plain.getFirst()).matches()) {
            List<String> onDrive = new ArrayList<>(plain);
            onDrive.set(0, plain.getFirst().substring(2));
            readings.add(onWindows(onDrive));
        }
        return readings;
    }

    /// Whether Windows reads any of these as something else.
    private static boolean hasOdd(List<String> components) {
        for (String component : components) {
            if (component.indexOf(':') >= 0
                    || component.indexOf('\\') >= 0
                    || component.indexOf('/') >= 0
                    || component.endsWith(".")
                    || component.endsWith(" ")) {
                return true;
            }
        }
        return false;
    }

    private static List<String> onWindows(List<String> components) {
        return components.stream()
                .flatMap(SEPARATOR::splitAsStream)
                .map(LooseForm::withoutEnd)
                .filter(component -> !component.isEmpty())
                .toList();
    }

    /// Windows drops a stream, then dots and spaces.
    private static String withoutEnd(String component) {
        int stream = component.indexOf(':');
        int end = stream < 0 ? component.length() : stream;
        while (end > 0 && (component.charAt(end - 1) == '.' || component.charAt(end - 1) == ' ')) {
            end--;
        }
        return component.substring(0, end);
    }

    static String of(String component) {
        return isAscii(component) ? component.toLowerCase(Locale.ROOT) : folded(component);
    }

    private static boolean isAscii(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) >= 0x80) {
                return false;
            }
        }
        return true;
    }

    private static String folded(String component) {
        StringBuilder loose = new StringBuilder(component.length());
        visible(decomposed(component))
                .codePoints()
                .mapToObj(Character::toString)
                .map(c -> c.toUpperCase(Locale.ROOT))
                .flatMapToInt(String::codePoints)
                .map(Character::toLowerCase)
                .forEach(loose::appendCodePoint);
        return decomposed(loose.toString());
    }

    private static String decomposed(String text) {
        return Normalizer.normalize(text, Normalizer.Form.NFKD);
    }
}

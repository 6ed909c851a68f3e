package dev.sallyport.policy;

import java.text.Normalizer;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/// The form in which two paths are the same when some file system takes them for the same: without
/// case, without differences of Unicode form, without characters that cannot be seen.
///
/// It is made character by character and within each component, because what stands next to a
/// character must not change what a `*` beside it covers: composed forms, the Greek final sigma and
/// a full-width slash would.
final class LooseForm {
    private LooseForm() {}

    static List<String> components(String path) {
        return Arrays.stream(path.split("/", -1)).map(LooseForm::of).toList();
    }

    static String of(String component) {
        boolean isAscii = component.chars().allMatch(c -> c < 0x80);
        return isAscii ? component.toLowerCase(Locale.ROOT) : folded(component);
    }

    private static String folded(String component) {
        StringBuilder loose = new StringBuilder(component.length());
        decomposed(component)
                .codePoints()
                .filter(c -> Character.getType(c) != Character.FORMAT)
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

package dev.sallyport.credential;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/// The ways in which programs commonly write a value down as a whole: as it is, in Base64 and in
/// hex. Those that concern single characters are [Escape]s. Text here has one character for each
/// byte.
final class Spelling {
    private static final String UNRESERVED = "-._~";

    private Spelling() {}

    static Set<String> all(String value) {
        Set<String> spellings = new LinkedHashSet<>();
        spellings.add(value);
        for (int lead = 0; lead < 3; lead++) {
            spellings.add(base64(value, lead, Base64.getEncoder()));
            spellings.add(base64(value, lead, Base64.getUrlEncoder()));
        }
        // As forms write a space.
        spellings.add(value.replace(' ', '+'));
        String hex = HexFormat.of().formatHex(value.getBytes(StandardCharsets.ISO_8859_1));
        spellings.add(hex);
        spellings.add(hex.toUpperCase(Locale.ROOT));
        return spellings;
    }

    /// Escaped for URLs: everything but what RFC 3986 calls unreserved.
    static String percent(String value) {
        return value.chars()
                .mapToObj(c -> isPlain(c) ? String.valueOf((char) c) : "%%%02X".formatted(c))
                .collect(Collectors.joining());
    }

    private static boolean isPlain(int c) {
        return (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z')
                || (c >= '0' && c <= '9')
                || UNRESERVED.indexOf(c) >= 0;
    }

    /// The characters that stand for the value alone when `lead` other bytes come before it.
    private static String base64(String value, int lead, Base64.Encoder encoder) {
        String padded = "\0".repeat(lead) + value;
        String text = encoder.encodeToString(padded.getBytes(StandardCharsets.ISO_8859_1));
        return text.substring((lead * 8 + 5) / 6, padded.length() * 8 / 6);
    }
}

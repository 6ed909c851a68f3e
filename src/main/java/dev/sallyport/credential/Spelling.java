package dev.sallyport.credential;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.stream.Collectors;

/// The ways in which programs commonly write a value down: as it is, in Base64, in hex, and escaped
/// for URLs and JSON. Text here has one character for each byte.
final class Spelling {
    private static final String UNRESERVED = "-._~";

    /// What JavaScript leaves as it is, besides.
    private static final String UNRESERVED_IN_JAVASCRIPT = UNRESERVED + "!'()*";

    private Spelling() {}

    static Set<String> all(String value) {
        Set<String> spellings = new LinkedHashSet<>();
        spellings.add(value);
        for (int lead = 0; lead < 3; lead++) {
            spellings.add(base64(value, lead, Base64.getEncoder()));
            spellings.add(base64(value, lead, Base64.getUrlEncoder()));
        }
        for (String hex : new String[] {"%%%02X", "%%%02x"}) {
            spellings.add(percent(value, UNRESERVED, hex));
            spellings.add(percent(value, UNRESERVED_IN_JAVASCRIPT, hex));
            spellings.add(percent(value, UNRESERVED, hex).replace("%20", "+"));
        }
        String hex = HexFormat.of().formatHex(value.getBytes(StandardCharsets.ISO_8859_1));
        spellings.add(hex);
        spellings.add(hex.toUpperCase(Locale.ROOT));
        String json = value.replace("\\", "\\\\").replace("\"", "\\\"");
        spellings.add(json);
        spellings.add(json.replace("/", "\\/"));
        return spellings;
    }

    /// Escaped for URLs: everything but what RFC 3986 calls unreserved.
    static String percent(String value) {
        return percent(value, UNRESERVED, "%%%02X");
    }

    private static String percent(String value, String plain, String form) {
        return each(value, c -> isPlain(c, plain) ? String.valueOf((char) c) : form.formatted(c));
    }

    private static String each(String value, IntFunction<String> spelling) {
        return value.chars().mapToObj(spelling).collect(Collectors.joining());
    }

    private static boolean isPlain(int c, String plain) {
        return (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z')
                || (c >= '0' && c <= '9')
                || plain.indexOf(c) >= 0;
    }

    /// The characters that stand for the value alone when `lead` other bytes come before it.
    private static String base64(String value, int lead, Base64.Encoder encoder) {
        String padded = "\0".repeat(lead) + value;
        String text = encoder.encodeToString(padded.getBytes(StandardCharsets.ISO_8859_1));
        return text.substring((lead * 8 + 5) / 6, padded.length() * 8 / 6);
    }
}

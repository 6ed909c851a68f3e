package dev.sallyport.egress;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The query of a request. It is passed on as it came, but for characters that some clients leave
/// unescaped, and for a parameter that is ours to write.
///
/// @param text printable, with whole escapes
record WebQuery(String text) {
    private static final Pattern SIGNABLE = Pattern.compile("[A-Za-z0-9._~%&=-]*");
    private static final String PLAIN = "-._~!$&'()*+,;=:@/?%";

    /// @param raw as the head's parser let it through
    static WebQuery of(String raw) {
        return new WebQuery(raw.chars().mapToObj(WebQuery::escaped).collect(Collectors.joining()));
    }

    private static String escaped(int c) {
        boolean plain =
                (c >= 'a' && c <= 'z')
                        || (c >= 'A' && c <= 'Z')
                        || (c >= '0' && c <= '9')
                        || PLAIN.indexOf(c) >= 0;
        return plain ? String.valueOf((char) c) : "%%%02X".formatted(c);
    }

    /// The decoded values of all parameters that a server could take for this one: names in any
    /// case, parted by ampersands or, as older servers read, semicolons.
    List<String> values(String parameter) {
        return parts().filter(part -> isNamed(part, parameter))
                .map(part -> decoded(part.substring(Math.min(part.length(), end(part) + 1))))
                .toList();
    }

    /// The decoded names of all parameters that some server could find.
    Stream<String> names() {
        return parts().map(WebQuery::name);
    }

    WebQuery without(String parameter) {
        String rest =
                parts().filter(part -> !isNamed(part, parameter)).collect(Collectors.joining());
        return new WebQuery(
                rest.startsWith("&") || rest.startsWith(";") ? rest.substring(1) : rest);
    }

    /// Whether everybody reads the same parameters in it, so that a signature of it means one
    /// thing.
    boolean isSignable() {
        return SIGNABLE.matcher(text).matches();
    }

    /// For people: without the values of some parameters.
    String masked(Predicate<String> hidden) {
        return parts().map(
                        part ->
                                hidden.test(name(part))
                                        ? part.substring(0, end(part)) + "=…"
                                        : part)
                .collect(Collectors.joining());
    }

    /// Each with the mark that parts it from the one before.
    private Stream<String> parts() {
        return Arrays.stream(text.split("(?=[&;])"));
    }

    private static boolean isNamed(String part, String parameter) {
        return name(part).equalsIgnoreCase(parameter);
    }

    private static String name(String part) {
        int begin = part.startsWith("&") || part.startsWith(";") ? 1 : 0;
        return decoded(part.substring(begin, end(part)));
    }

    private static int end(String part) {
        int equals = part.indexOf('=');
        return equals < 0 ? part.length() : equals;
    }

    private static String decoded(String text) {
        byte[] bytes = new byte[text.length()];
        int count = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '%' && i + 2 < text.length()) {
                bytes[count++] = (byte) Integer.parseInt(text.substring(i + 1, i + 3), 16);
                i += 2;
            } else {
                bytes[count++] = (byte) (c == '+' ? ' ' : c);
            }
        }
        return new String(bytes, 0, count, StandardCharsets.UTF_8);
    }
}

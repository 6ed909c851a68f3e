package dev.sallyport.push;

import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Makes tokens from their form when a test runs, so that no source holds anything like one.
///
/// In a form `{A36}` stands for 36 letters and digits, `{l..}` letters, `{u..}` upper case and
/// digits, `{t..}` the alphabet of Base32, `{h..}` lower-case hex, `{n..}` digits, `{b..}` Base64,
/// `{g..}` the alphabet of Bech32, `{NL}` a line feed, `{BS}` a backslash.
final class SecretSample {
    private static final Pattern HOLE = Pattern.compile("\\{(?:([Alutnhbg])(\\d+)|(NL|BS))}");
    private static final String LOWER = "abcdefghijklmnopqrstuvwxyz";
    private static final String UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    private static final String DIGITS = "0123456789";

    private SecretSample() {}

    static String of(String form, long seed) {
        Random random = new Random(seed);
        Matcher holes = HOLE.matcher(form);
        StringBuilder text = new StringBuilder();
        while (holes.find()) {
            holes.appendReplacement(text, Matcher.quoteReplacement(filling(holes, random)));
        }
        return holes.appendTail(text).toString();
    }

    private static String filling(Matcher hole, Random random) {
        if (hole.group(1) == null) {
            return hole.group(3).equals("NL") ? "\n" : "\\";
        }
        String alphabet = alphabet(hole.group(1).charAt(0));
        StringBuilder text = new StringBuilder();
        for (int i = Integer.parseInt(hole.group(2)); i > 0; i--) {
            text.append(alphabet.charAt(random.nextInt(alphabet.length())));
        }
        return text.toString();
    }

    private static String alphabet(char kind) {
        return switch (kind) {
            case 'l' -> LOWER + UPPER;
            case 'u' -> UPPER + DIGITS;
            case 't' -> UPPER + "234567";
            case 'n' -> DIGITS;
            case 'h' -> DIGITS + "abcdef";
            case 'b' -> LOWER + UPPER + DIGITS + "+/";
            case 'g' -> "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L";
            default -> LOWER + UPPER + DIGITS;
        };
    }
}

package dev.sallyport.credential;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// A way of writing characters as other ones, in which a program may write any number of those of a
/// value and leave the others as they are.
enum Escape {
    /// `%2F`, as in URLs and forms.
    PERCENT('%') {
        @Override
        long read(byte[] text, int length) {
            return hexPair(text, 1, length);
        }

        @Override
        List<String> spellings(char c) {
            return prefixed("%", hexPairs(c));
        }
    },
    /// `=2F`, and `=` before the end of a line, as in mail (RFC 2045, section 6.7).
    QUOTED_PRINTABLE('=') {
        @Override
        long read(byte[] text, int length) {
            return length == 2 && (text[1] == '\r' || text[1] == '\n')
                    ? found(text[1], 2)
                    : hexPair(text, 1, length);
        }

        @Override
        List<String> spellings(char c) {
            List<String> spellings = prefixed("=", hexPairs(c));
            if (c == '\r' || c == '\n') {
                spellings.add("=" + c);
            }
            return spellings;
        }
    },
    /// A backslash before `u002f`, `u{2f}`, `x2f` or `/`, as in JSON, JavaScript and shells.
    BACKSLASH('\\') {
        @Override
        long read(byte[] text, int length) {
            if (length < 2) {
                return MORE;
            }
            return switch (text[1]) {
                case 'x' -> hexPair(text, 2, length);
                case 'u' ->
                        length > 2 && text[2] == '{' ? braced(text, length) : four(text, length);
                case 'n' -> found('\n', 2);
                case 'r' -> found('\r', 2);
                default -> isPunctuation(text[1]) ? found(text[1], 2) : NOT;
            };
        }

        private static boolean isPunctuation(byte b) {
            return b > ' ' && !Character.isLetterOrDigit(b);
        }

        private static long four(byte[] text, int length) {
            if (length > 2 && Character.digit(text[length - 1], 16) < 0) {
                return NOT;
            }
            return length < 6 ? MORE : found(number(text, 2, 6, 16), 6);
        }

        private static long braced(byte[] text, int length) {
            if (length > 3 && text[length - 1] == '}') {
                return found(number(text, 3, length - 1, 16), length);
            }
            return length > 3 && Character.digit(text[length - 1], 16) < 0 ? NOT : MORE;
        }

        @Override
        List<String> spellings(char c) {
            List<String> spellings = prefixed("\\x", hexPairs(c));
            spellings.addAll(prefixed("\\u00", hexPairs(c)));
            prefixed("\\u{", padded(hex(c))).forEach(s -> spellings.add(s + "}"));
            switch (c) {
                case '\n' -> spellings.add("\\n");
                case '\r' -> spellings.add("\\r");
                default -> {
                    if (isPunctuation((byte) c)) {
                        spellings.add("\\" + c);
                    }
                }
            }
            return spellings;
        }
    },
    /// `&#47;`, `&#x2f;` and `&sol;`, as in HTML and XML.
    ENTITY('&') {
        @Override
        long read(byte[] text, int length) {
            if (length < 3) {
                return length < 2 || text[1] == '#' || isLetter(text[1]) ? MORE : NOT;
            }
            if (text[1] != '#') {
                return named(text, length);
            }
            boolean hex = (text[2] | 0x20) == 'x';
            return numbered(text, hex ? 3 : 2, length, hex ? 16 : 10);
        }

        // Browsers do without the semicolon.
        private static long numbered(byte[] text, int from, int length, int radix) {
            if (length <= from || Character.digit(text[length - 1], radix) >= 0) {
                return MORE;
            }
            if (length == from + 1) {
                return NOT;
            }
            int used = text[length - 1] == ';' ? length : length - 1;
            return found(number(text, from, length - 1, radix), used);
        }

        private static long named(byte[] text, int length) {
            byte last = text[length - 1];
            if (last != ';') {
                return isLetter(last) ? MORE : NOT;
            }
            String name = new String(text, 1, length - 2, StandardCharsets.ISO_8859_1);
            Integer c = NAMES.get(name);
            return c == null ? NOT : found(c, length);
        }

        @Override
        List<String> spellings(char c) {
            List<String> spellings = prefixed("&#", padded(List.of(Integer.toString(c))));
            spellings.addAll(prefixed("&#x", padded(hex(c))));
            spellings.addAll(prefixed("&#X", padded(hex(c))));
            List.copyOf(spellings).forEach(s -> spellings.add(s + ";"));
            NAMES.forEach(
                    (name, named) -> {
                        if (named == c) {
                            spellings.add("&" + name + ";");
                        }
                    });
            return spellings;
        }
    };

    /// Longer ones, with zeros before the number, are taken as they are.
    static final int BYTES_MAX = 32;

    /// What has come so far may be one.
    static final long MORE = -1;

    /// It is none.
    static final long NOT = -2;

    private static final int USED_BITS = 8;

    /// Those of HTML for what is printable in ASCII and neither letter nor digit.
    private static final Map<String, Integer> NAMES =
            Map.ofEntries(
                    name("quot", '"'),
                    name("QUOT", '"'),
                    name("amp", '&'),
                    name("AMP", '&'),
                    name("lt", '<'),
                    name("LT", '<'),
                    name("gt", '>'),
                    name("GT", '>'),
                    name("apos", '\''),
                    name("excl", '!'),
                    name("num", '#'),
                    name("dollar", '$'),
                    name("percnt", '%'),
                    name("lpar", '('),
                    name("rpar", ')'),
                    name("ast", '*'),
                    name("midast", '*'),
                    name("plus", '+'),
                    name("comma", ','),
                    name("period", '.'),
                    name("sol", '/'),
                    name("colon", ':'),
                    name("semi", ';'),
                    name("equals", '='),
                    name("quest", '?'),
                    name("commat", '@'),
                    name("lsqb", '['),
                    name("lbrack", '['),
                    name("bsol", '\\'),
                    name("rsqb", ']'),
                    name("rbrack", ']'),
                    name("Hat", '^'),
                    name("lowbar", '_'),
                    name("UnderBar", '_'),
                    name("grave", '`'),
                    name("DiacriticalGrave", '`'),
                    name("lcub", '{'),
                    name("lbrace", '{'),
                    name("verbar", '|'),
                    name("vert", '|'),
                    name("VerticalLine", '|'),
                    name("rcub", '}'),
                    name("rbrace", '}'),
                    name("NewLine", '\n'));

    private final char lead;

    Escape(char lead) {
        this.lead = lead;
    }

    private static Map.Entry<String, Integer> name(String name, int c) {
        return Map.entry(name, c);
    }

    /// The byte that begins one.
    char lead() {
        return lead;
    }

    /// Reads one, of which all bytes but the last were read before with the answer [#MORE].
    ///
    /// @return that answer, [#NOT], or what [#character] and [#used] take apart
    abstract long read(byte[] text, int length);

    /// Every way in which an ASCII character is written. Where any number of zeros may stand before
    /// a number there are none, one and two.
    abstract List<String> spellings(char c);

    private static List<String> hexPairs(char c) {
        return List.of(
                HexFormat.of().toHexDigits((byte) c),
                HexFormat.of().withUpperCase().toHexDigits((byte) c));
    }

    private static List<String> hex(char c) {
        String number = Integer.toHexString(c);
        return List.of(number, number.toUpperCase(Locale.ROOT));
    }

    private static List<String> padded(List<String> numbers) {
        List<String> padded = new ArrayList<>();
        for (String number : numbers) {
            padded.addAll(List.of(number, "0" + number, "00" + number));
        }
        return padded;
    }

    private static List<String> prefixed(String prefix, List<String> texts) {
        List<String> prefixed = new ArrayList<>();
        for (String text : texts) {
            prefixed.add(prefix + text);
        }
        return prefixed;
    }

    private static long found(int character, int used) {
        return ((long) character << USED_BITS) | used;
    }

    static int character(long found) {
        return (int) (found >> USED_BITS);
    }

    /// How many bytes it took.
    static int used(long found) {
        return (int) (found & 0xff);
    }

    private static long hexPair(byte[] text, int from, int length) {
        if (length > from && Character.digit(text[length - 1], 16) < 0) {
            return NOT;
        }
        return length < from + 2 ? MORE : found(number(text, from, from + 2, 16), from + 2);
    }

    /// Too large a number is no character of any value.
    private static int number(byte[] text, int from, int to, int radix) {
        int number = 0;
        for (int i = from; i < to; i++) {
            number = Math.min(number * radix + Character.digit(text[i], radix), 0x10ffff);
        }
        return number;
    }

    private static boolean isLetter(byte b) {
        int lower = b | 0x20;
        return lower >= 'a' && lower <= 'z';
    }
}

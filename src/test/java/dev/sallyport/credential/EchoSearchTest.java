package dev.sallyport.credential;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// With its sieve the search is what it is without, after every piece of every stream.
final class EchoSearchTest {
    private static final List<String> ALPHABETS =
            List.of(
                    "ab0",
                    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_",
                    "!\"#$%&'()*+,-./0123456789:;<=>?@ABC[\\]^_`abc{|}~ ",
                    "%&=\\a0; ",
                    "0123456789abcdef",
                    "na \\u{}");
    private static final String SPECIAL = "%&=\\#;{}xuX0aA4 \t\r\n61";
    private static final Escape[] ESCAPES = Escape.values();

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static String text(Random random, String alphabet, int length) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            text.append(alphabet.charAt(random.nextInt(alphabet.length())));
        }
        return text.toString();
    }

    private static String noise(Random random, String secret, int length) {
        return switch (random.nextInt(6)) {
            case 0 -> text(random, SPECIAL, length);
            case 1 -> text(random, secret, length);
            case 2 -> text(random, SPECIAL + secret, length);
            case 3 -> text(random, "the quick brown, fox. \n", length);
            case 4 -> text(random, "\"hgfj\u00e9", length);
            default -> text(random, ALPHABETS.get(1) + " ", length);
        };
    }

    /// A needle with some of its characters escaped in one way, and in lines.
    private static String written(Random random, String needle) {
        Escape escape = ESCAPES[random.nextInt(ESCAPES.length)];
        int escaped = List.of(0, 0, 1, 10, 50, 100).get(random.nextInt(6));
        int broken = List.of(0, 0, 0, 3, 20, 60).get(random.nextInt(6));
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < needle.length(); i++) {
            text.append(written(random, needle.charAt(i), escape, escaped));
            if (random.nextInt(100) < broken) {
                String end = List.of("\n", "\r", "\r\n", "\n   \t ").get(random.nextInt(4));
                end.chars().forEach(c -> text.append(written(random, (char) c, escape, escaped)));
            }
        }
        return text.toString();
    }

    private static String written(Random random, char c, Escape escape, int percent) {
        List<String> spellings = escape.spellings(c);
        return random.nextInt(100) < percent
                ? spellings
                        .get(random.nextInt(spellings.size()))
                        .replace("#00", "#" + "0".repeat(random.nextInt(28)))
                        .replace("{00", "{" + "0".repeat(random.nextInt(28)))
                : String.valueOf(c);
    }

    /// Whole needles, beginnings, ends, and those with one byte that is wrong, between noise.
    private static String stream(Random random, String secret) {
        List<String> needles =
                Spelling.all(secret).stream().filter(needle -> needle.length() >= 8).toList();
        StringBuilder stream = new StringBuilder();
        for (int part = random.nextInt(6); part >= 0; part--) {
            int noise = random.nextInt(random.nextInt(4) == 0 ? 1_500 : 120);
            stream.append(noise(random, secret, noise));
            String needle = needles.get(random.nextInt(needles.size()));
            int cut = random.nextInt(needle.length());
            switch (random.nextInt(8)) {
                case 0 -> stream.append(written(random, needle));
                case 1 -> stream.append(written(random, needle.substring(0, cut)));
                case 2 -> stream.append(written(random, needle.substring(cut)));
                case 3 -> stream.append(written(random, needle.substring(0, needle.length() - 1)));
                case 4 -> {
                    String text = written(random, needle);
                    int at = random.nextInt(text.length());
                    stream.append(text, 0, at).append((char) random.nextInt(256));
                    stream.append(text, at + random.nextInt(2), text.length());
                }
                default -> stream.append('.');
            }
        }
        return stream.toString();
    }

    /// E14.
    @ParameterizedTest
    @ValueSource(ints = {1, 5, 40, 300, 20_000})
    void e14FindsAndHoldsBackTheSameWithAndWithoutItsSieve(int pieceMax) {
        Random random = new Random(pieceMax);
        int found = 0;
        for (int round = 0; round < 300; round++) {
            String alphabet = ALPHABETS.get(round % ALPHABETS.size());
            int length = 8 + random.nextInt(round % 20 == 0 ? 700 : 50);
            String secret = text(random, alphabet, length);
            Needles needles = Needles.of(Secret.of(bytes(secret)));
            String stream = stream(random, secret);
            found += agrees(random, needles, needles.unsieved(), stream, pieceMax) ? 1 : 0;
        }
        assertThat(found).isGreaterThan(40);
    }

    /// E14: two secrets, one of which is another in each request, are found as if they were kept
    /// together.
    @ParameterizedTest
    @ValueSource(ints = {1, 40, 20_000})
    void e14FindsAndHoldsBackTheSameInTwoTablesAsInOne(int pieceMax) {
        Random random = new Random(pieceMax);
        int found = 0;
        for (int round = 0; round < 60; round++) {
            String alphabet = ALPHABETS.get(round % ALPHABETS.size());
            String common = text(random, alphabet, random.nextInt(10));
            String one = common + text(random, alphabet, 8 + random.nextInt(50));
            String other = common + text(random, alphabet, 8 + random.nextInt(50));
            Needles apart = Needles.of(Secret.of(bytes(one))).with(Secret.of(bytes(other)));
            Needles together =
                    Needles.of(List.of(Secret.of(bytes(one)), Secret.of(bytes(other)))).unsieved();
            String stream = stream(random, random.nextBoolean() ? one : other);
            found += agrees(random, apart, together, stream, pieceMax) ? 1 : 0;
        }
        assertThat(found).isGreaterThan(5);
    }

    private static boolean agrees(
            Random random, Needles needles, Needles plain, String stream, int pieceMax) {
        EchoSearch sieved = new EchoSearch(needles, 0);
        EchoSearch unsieved = new EchoSearch(plain, 0);
        ByteBuf in = Unpooled.wrappedBuffer(bytes(stream));
        ByteBuf direct = Unpooled.directBuffer().writeBytes(in.duplicate());
        boolean found = false;
        int from = 0;
        while (from < stream.length() && !found) {
            int length = Math.min(stream.length() - from, 1 + random.nextInt(pieceMax));
            found = unsieved.finds(in, from, length);
            assertThat(sieved.finds(random.nextBoolean() ? in : direct, from, length))
                    .as(stream)
                    .isEqualTo(found);
            for (int depth : new int[] {1, 8}) {
                assertThat(found || sieved.suspiciousFrom(depth) == unsieved.suspiciousFrom(depth))
                        .as(stream)
                        .isTrue();
            }
            if (random.nextInt(20) == 0) {
                sieved.skip(3);
                unsieved.skip(3);
            }
            from += length;
        }
        direct.release();
        return found;
    }

    /// What the sieve knows of escapes is what is read as one.
    @Test
    void everySpellingIsReadAsItsCharacter() {
        for (Escape escape : ESCAPES) {
            for (char c = 1; c < 0x80; c++) {
                for (String spelling : escape.spellings(c)) {
                    // Without its semicolon an entity ends at the next byte.
                    boolean open = escape == Escape.ENTITY && !spelling.endsWith(";");
                    assertThat(read(escape, open ? spelling + "." : spelling))
                            .as(spelling)
                            .isEqualTo(c);
                }
            }
        }
    }

    /// Whatever is read as a character has only pairs of bytes that one of its spellings has.
    @Test
    void nothingElseIsReadAsACharacter() {
        Random random = new Random(3);
        String alphabet = "0012346789abcdefABCDEFxXu{};#nr&NewLilowbarsc-_";
        for (int round = 0; round < 60_000; round++) {
            Escape escape = ESCAPES[round % ESCAPES.length];
            String start = List.of("", "#", "#x", "u", "u{", "x", "u00").get(random.nextInt(7));
            String text =
                    escape.lead() + start + text(random, alphabet, 1 + random.nextInt(5)) + ".";
            byte[] all = bytes(text);
            long answer = Escape.MORE;
            for (int length = 2; length <= all.length && answer == Escape.MORE; length++) {
                answer = escape.read(all, length);
            }
            // No secret has a zero.
            if (answer >= 0 && Escape.character(answer) > 0 && Escape.character(answer) < 0x80) {
                assertPairs(escape, text.substring(0, Escape.used(answer)), answer);
            }
        }
    }

    private static void assertPairs(Escape escape, String text, long answer) {
        List<String> spellings = escape.spellings((char) Escape.character(answer));
        for (int i = 0; i + 1 < text.length(); i++) {
            String pair = text.substring(i, i + 2);
            assertThat(spellings).as(text).anyMatch(spelling -> spelling.contains(pair));
        }
        String last = text.substring(text.length() - 1);
        assertThat(spellings).as(text).anyMatch(spelling -> spelling.endsWith(last));
    }

    private static int read(Escape escape, String text) {
        byte[] all = bytes(text);
        for (int length = 2; length <= all.length; length++) {
            long answer = escape.read(all, length);
            if (answer != Escape.MORE) {
                assertThat(answer).as(text).isNotNegative();
                return Escape.character(answer);
            }
        }
        return -1;
    }
}

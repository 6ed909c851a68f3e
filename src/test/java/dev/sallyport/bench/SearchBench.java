package dev.sallyport.bench;

import dev.sallyport.credential.EchoContest;
import dev.sallyport.push.KeywordContest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;

/// How fast an answer is searched for an echo of its secret, and a file for keywords of secrets: MB
/// per second of one core, with the sieve and reading each byte, in turn.
public final class SearchBench {
    private static final String SECRET = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    private static final int BYTES = 1 << 20;
    private static final int PIECE = 1 << 14;
    private static final int WARM_UP_ROUNDS = 2;
    private static final int ROUNDS = 7;
    private static final long ROUND_NANOS = 40_000_000;

    private SearchBench() {}

    /// One search of all content.
    private interface Search {
        void run();
    }

    public static void main(String[] args) {
        Map<String, byte[]> contents = contents();
        System.out.println("MB per CPU-second, median of " + ROUNDS + " (sieve, each byte, ratio)");
        Map<String, Search[]> contests = new LinkedHashMap<>();
        contents.forEach((name, content) -> contests.put(name, contenders(content)));
        // All kinds take turns before the first is measured, as in a gateway.
        for (int i = 0; i < WARM_UP_ROUNDS; i++) {
            contests.values().forEach(all -> Arrays.stream(all).forEach(SearchBench::rate));
        }
        contests.forEach(
                (name, searches) -> {
                    double[][] rates = new double[searches.length][ROUNDS];
                    for (int round = 0; round < ROUNDS; round++) {
                        for (int i = 0; i < searches.length; i++) {
                            rates[i][round] = rate(searches[i]);
                        }
                    }
                    tell("echo", name, rates[0], rates[1]);
                    tell("keywords", name, rates[2], rates[3]);
                });
    }

    private static void tell(String search, String content, double[] sieved, double[] unsieved) {
        System.out.printf(
                "%-9s %-24s %6.0f %6.0f %6.2f%n",
                search,
                content,
                median(sieved),
                median(unsieved),
                median(sieved) / median(unsieved));
    }

    private static double median(double[] rates) {
        return Arrays.stream(rates).sorted().toArray()[rates.length / 2];
    }

    private static double rate(Search search) {
        var thread = ManagementFactory.getThreadMXBean();
        long begun = thread.getCurrentThreadCpuTime();
        long bytes = 0;
        long spent;
        do {
            search.run();
            bytes += BYTES;
            spent = thread.getCurrentThreadCpuTime() - begun;
        } while (spent < ROUND_NANOS);
        return bytes * 1e3 / spent;
    }

    private static Search[] contenders(byte[] content) {
        return new Search[] {
            echo(EchoContest.sieved(SECRET), content),
            echo(EchoContest.unsieved(SECRET), content),
            keywords(KeywordContest.sieved(), content),
            keywords(KeywordContest.unsieved(), content)
        };
    }

    private static Search echo(Predicate<ByteBuf> search, byte[] content) {
        ByteBuf[] pieces = new ByteBuf[BYTES / PIECE];
        for (int i = 0; i < pieces.length; i++) {
            ByteBuffer piece = ByteBuffer.allocateDirect(PIECE).put(content, i * PIECE, PIECE);
            pieces[i] = Unpooled.wrappedBuffer(piece.flip());
        }
        return () -> {
            for (ByteBuf piece : pieces) {
                if (search.test(piece)) {
                    throw new IllegalStateException("there is no secret");
                }
            }
        };
    }

    private static Search keywords(ToLongFunction<byte[]> screen, byte[] content) {
        return () -> {
            long _ = screen.applyAsLong(content);
        };
    }

    private static Map<String, byte[]> contents() {
        Random random = new Random(1);
        byte[] noise = new byte[BYTES];
        random.nextBytes(noise);
        Map<String, byte[]> contents = new LinkedHashMap<>();
        contents.put("random bytes, packs", noise);
        contents.put("text", filled(i -> word(random) + (i % 11 == 10 ? ".\n" : " ")));
        contents.put(
                "code",
                filled(
                        i ->
                                "    ".repeat(i % 4)
                                        + word(random)
                                        + " = "
                                        + word(random)
                                        + "("
                                        + word(random)
                                        + ");\n"));
        contents.put(
                "JSON",
                filled(
                        i ->
                                "{\"id\": "
                                        + i
                                        + ", \""
                                        + word(random)
                                        + "\": \""
                                        + word(random)
                                        + "\\n\", \"sha\": \""
                                        + Long.toHexString(random.nextLong())
                                        + "\"},\n"));
        contents.put("Base64", filled(Base64.getEncoder().encodeToString(noise)));
        contents.put("Base64 in lines", filled(Base64.getMimeEncoder().encodeToString(noise)));
        contents.put("URL escapes", filled(i -> "%%%02X".formatted(random.nextInt(256))));
        contents.put("JSON escapes", filled(i -> "\\u%04x".formatted(32 + random.nextInt(95))));
        contents.put(
                "HTML escapes", filled(i -> word(random) + "&#" + (32 + random.nextInt(95)) + ";"));
        contents.put("blanks", filled(i -> " ".repeat(200) + "\n"));
        contents.put("zeros", filled(i -> "&#000000000000"));
        contents.put(
                "beginnings of the secret",
                filled(i -> SECRET.substring(0, 5 + random.nextInt(34))));
        contents.put(
                "its characters",
                filled(i -> String.valueOf(SECRET.charAt(random.nextInt(SECRET.length())))));
        return contents;
    }

    private static String word(Random random) {
        String letters = "eeeeettttaaaaooooiiiinnnnsssrrrhhhlldduuccmmwwffggyyppbbvk";
        StringBuilder word = new StringBuilder();
        for (int i = 2 + random.nextInt(8); i > 0; i--) {
            word.append(letters.charAt(random.nextInt(letters.length())));
        }
        return word.toString();
    }

    private interface Piece {
        String of(int i);
    }

    private static byte[] filled(Piece piece) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; text.length() < BYTES; i++) {
            text.append(piece.of(i));
        }
        return filled(text.toString());
    }

    private static byte[] filled(String text) {
        return Arrays.copyOf(text.getBytes(StandardCharsets.ISO_8859_1), BYTES);
    }
}

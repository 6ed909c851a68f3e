package dev.sallyport.credential;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.lang.management.ManagementFactory;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class EchoGuardTest {
    private static final String TOKEN = "ghp_ghp_aab>?aabaaab0042";
    private static final Needles NEEDLES = Needles.of(Secret.of(bytes(TOKEN)));

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    /// What gets through when the stream comes in pieces of this size.
    private static String passed(String stream, int pieceBytes) throws EchoException {
        EchoGuard guard = new EchoGuard(NEEDLES);
        ByteBuf in = Unpooled.wrappedBuffer(bytes(stream));
        StringBuilder out = new StringBuilder();
        while (in.isReadable()) {
            ByteBuf piece = in.readRetainedSlice(Math.min(pieceBytes, in.readableBytes()));
            take(guard.pass(piece), out);
        }
        take(guard.rest(), out);
        return out.toString();
    }

    private static void take(ByteBuf piece, StringBuilder out) {
        out.append(piece.toString(StandardCharsets.ISO_8859_1));
        piece.release();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 64, 10_000})
    void letsEverythingElseThroughUnchanged(int pieceBytes) throws Exception {
        byte[] noise = new byte[5_000];
        new Random(4).nextBytes(noise);
        String stream =
                new String(noise, StandardCharsets.ISO_8859_1)
                        + "ghp_ghp_ghp_aab"
                        + TOKEN.substring(0, TOKEN.length() - 1)
                        + TOKEN.substring(1);
        assertThat(passed(stream, pieceBytes)).isEqualTo(stream);
    }

    /// On the way of every clone: neither a copy nor garbage for each piece.
    @Test
    @SuppressWarnings("ReferenceEquality") // the same buffer is what is meant
    void anInnocentPieceIsPassedOnAsItIs() throws Exception {
        EchoGuard guard = new EchoGuard(NEEDLES);
        ByteBuf piece = Unpooled.directBuffer(1 << 14).writeZero(1 << 14);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = 0;
        for (int i = 0; i < 2_000; i++) {
            if (i == 1_000) {
                before = threads.getCurrentThreadAllocatedBytes();
            }
            if (guard.pass(piece) != piece) {
                throw new AssertionError("copied");
            }
        }
        long garbage = (threads.getCurrentThreadAllocatedBytes() - before) / 1_000;
        assertThat(garbage).as("bytes of garbage for each piece").isLessThan(1_024);
        piece.release();
    }

    /// Nearly every answer has something in it that could begin an escape in each of the ways.
    @Test
    void anAnswerTakesLittleMemory() throws Exception {
        String advertised =
                "001e# service=git-upload-pack\n0000g\n agent=git%2F2 &amp; g\\u005f symref=HEAD:refs/heads/main\n0000";
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        ByteBuf answer = Unpooled.wrappedBuffer(bytes(advertised.repeat(4)));
        long before = 0;
        for (int i = 0; i < 200; i++) {
            if (i == 100) {
                before = threads.getCurrentThreadAllocatedBytes();
            }
            new EchoGuard(NEEDLES).pass(answer.retainedDuplicate()).release();
        }
        long garbage = (threads.getCurrentThreadAllocatedBytes() - before) / 100;
        assertThat(garbage).as("bytes for each answer").isLessThan(4_096);
        answer.release();
    }

    /// Each frame head is remembered while a secret may be under way.
    @Test
    void p12EndlessFramesDoNotFillTheMemory() {
        EchoGuard guard = new EchoGuard(NEEDLES);
        byte[] first = bytes(TOKEN.substring(0, 1));
        assertThatThrownBy(
                        () -> {
                            for (int i = 0; i < 100_000; i++) {
                                guard.skip(2);
                                ByteBuf frame = Unpooled.wrappedBuffer(new byte[2], first);
                                guard.look(frame, 2, 1);
                                guard.release(frame, true).release();
                            }
                        })
                .isInstanceOf(EchoException.class);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 64, 10_000})
    void p1FindsTheSecretInEverySpellingAndEveryCut(int pieceBytes) {
        Base64.Encoder plain = Base64.getEncoder();
        Base64.Encoder url = Base64.getUrlEncoder().withoutPadding();
        for (String user : new String[] {"", "u:", "us:", "use:", "x-access-token:"}) {
            for (String spelling :
                    new String[] {
                        TOKEN,
                        plain.encodeToString(bytes(user + TOKEN)),
                        plain.encodeToString(bytes(user + TOKEN + "tail")),
                        url.encodeToString(bytes(user + TOKEN))
                    }) {
                assertThatThrownBy(() -> passed("xxghp_" + spelling + "yy", pieceBytes))
                        .isInstanceOf(EchoException.class)
                        .hasMessageNotContaining(TOKEN);
            }
        }
    }

    /// E14.
    @ParameterizedTest
    @ValueSource(ints = {1, 7, 10_000})
    void e14FindsTheSecretEscapedForUrlsAndJsonAndInHex(int pieceBytes) {
        String upper = URLEncoder.encode(TOKEN, StandardCharsets.ISO_8859_1);
        for (String spelling :
                List.of(
                        upper,
                        upper.replace("%3E", "%3e").replace("%3F", "%3f"),
                        HexFormat.of().formatHex(bytes(TOKEN)),
                        HexFormat.of().withUpperCase().formatHex(bytes(TOKEN)))) {
            assertThat(spelling).isNotEqualTo(TOKEN);
            assertThatThrownBy(() -> passed("xx" + spelling + "yy", pieceBytes))
                    .isInstanceOf(EchoException.class);
            assertThat(new EchoGuard(NEEDLES).isIn("a: " + spelling)).isTrue();
        }
        assertThat(new EchoGuard(NEEDLES).isIn("a: " + TOKEN.substring(1))).isFalse();
    }

    @Test
    void e14FindsSecretsOfEveryLength() {
        for (int length : new int[] {8, 100, 511, 512, 513, Secret.BYTES_MAX}) {
            StringBuilder random = new StringBuilder();
            new Random(length).ints(length, '!', '~').forEach(c -> random.append((char) c));
            String text = random.toString();
            EchoGuard guard = new EchoGuard(Needles.of(Secret.of(bytes(text))));
            String encoded = Base64.getEncoder().encodeToString(bytes("user:" + text));
            assertThat(guard.isIn("xx" + text)).isTrue();
            assertThat(guard.isIn("Basic " + encoded)).isTrue();
            assertThat(guard.isIn(text.substring(1))).isFalse();
        }
    }

    @Test
    void p1LetsNoPartOfTheSecretOutBeforeItIsComplete() throws Exception {
        EchoGuard guard = new EchoGuard(NEEDLES);
        ByteBuf out = guard.pass(Unpooled.wrappedBuffer(bytes("hello " + TOKEN.substring(0, 20))));
        assertThat(out.toString(StandardCharsets.US_ASCII)).isEqualTo("hello ");
        guard.release();
    }

    @Test
    void doesNotLookForASecretSoShortThatItOccursByChance() throws Exception {
        EchoGuard guard = new EchoGuard(Needles.of(Secret.of(bytes("abc"))));
        assertThat(guard.pass(Unpooled.wrappedBuffer(bytes("abc"))).readableBytes()).isEqualTo(3);
    }

    /// One way to write a character.
    private interface Form {
        String of(int c);
    }

    private static final List<Form> FORMS =
            List.of(
                    "%%%02x"::formatted,
                    "%%%02X"::formatted,
                    "=%02X"::formatted,
                    "\\u%04x"::formatted,
                    "\\u%04X"::formatted,
                    "\\u{%x}"::formatted,
                    "\\x%02x"::formatted,
                    "&#%d;"::formatted,
                    "&#%08d;"::formatted,
                    "&#x%x;"::formatted,
                    "&#X%04X;"::formatted);

    /// What got through before the guard found the secret.
    private static String passedBeforeEcho(String stream, int pieceBytes) {
        EchoGuard guard = new EchoGuard(NEEDLES);
        ByteBuf in = Unpooled.wrappedBuffer(bytes(stream));
        StringBuilder out = new StringBuilder();
        assertThatThrownBy(
                        () -> {
                            while (in.isReadable()) {
                                int next = Math.min(pieceBytes, in.readableBytes());
                                take(guard.pass(in.readRetainedSlice(next)), out);
                            }
                        })
                .as(stream)
                .isInstanceOf(EchoException.class);
        return out.toString();
    }

    /// E14: whichever characters are escaped, and wherever lines end, not one of them gets out.
    @ParameterizedTest
    @ValueSource(ints = {1, 3, 7, 10_000})
    void e14FindsTheSecretWithAnyOfItsCharactersEscaped(int pieceBytes) {
        Random random = new Random(pieceBytes);
        for (Form form : FORMS) {
            for (int round = 0; round < 20; round++) {
                StringBuilder text = new StringBuilder();
                TOKEN.chars()
                        .forEach(c -> text.append(random.nextBoolean() ? form.of(c) : (char) c));
                assertThat("...").startsWith(passedBeforeEcho("..." + text + "yy", pieceBytes));
                assertThat(new EchoGuard(NEEDLES).isIn("a: " + text)).isTrue();
            }
            String all = TOKEN.chars().mapToObj(form::of).collect(Collectors.joining());
            assertThat("...").startsWith(passedBeforeEcho("..." + all, pieceBytes));
        }
    }

    /// E14.
    @ParameterizedTest
    @ValueSource(ints = {1, 3, 7, 10_000})
    void e14FindsTheSecretInHtmlAndJsonAsLibrariesWriteThem(int pieceBytes) {
        for (String text :
                List.of(
                        TOKEN.replace(">", "&gt;").replace("?", "&quest;").replace("_", "&lowbar;"),
                        TOKEN.replace(">", "&#62").replace("?", "&#x3f;").replace("_", "&#95;"),
                        TOKEN.replace(">", "\\u003e").replace("?", "\\u003F"),
                        TOKEN.replace(">", "\\>"),
                        TOKEN.replace("_", "\\_"))) {
            assertThat("....").startsWith(passedBeforeEcho("...." + text, pieceBytes));
        }
    }

    /// E14: mail and PEM break Base64 into lines, JSON and URLs write the breaks in their own way.
    @ParameterizedTest
    @ValueSource(ints = {1, 3, 7, 10_000})
    void e14FindsTheSecretInBase64InLines(int pieceBytes) {
        for (String end :
                List.of(
                        "\n", "\r\n", "\r", "\n    ", "\r\n\t", "\\n", "\\r\\n", "%0A", "=\r\n",
                        "&#10;")) {
            for (int lead = 0; lead < 60; lead += 1) {
                byte[] all = bytes("~".repeat(lead) + TOKEN);
                String one = Base64.getEncoder().encodeToString(all);
                for (int line : new int[] {4, 64, 76}) {
                    String text =
                            one.replaceAll("(.{" + line + "})", "$1" + end.replace("\\", "\\\\"));
                    assertThat(new EchoGuard(NEEDLES).isIn(text)).as(text).isTrue();
                }
                String url = Base64.getUrlEncoder().encodeToString(all);
                assertThat(new EchoGuard(NEEDLES).isIn(url.replaceAll("(.{7})", "$1\n"))).isTrue();
            }
        }
        String lines = Base64.getMimeEncoder(8, bytes("\n")).encodeToString(bytes(TOKEN));
        assertThat("....").startsWith(passedBeforeEcho("...." + lines, pieceBytes));
    }

    /// Neither an escape nor the end of a line changes what is let through, or holds it for long.
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 64, 10_000})
    void letsEscapesThroughUnchanged(int pieceBytes) throws Exception {
        Random random = new Random(7);
        String alphabet = "%&#x;\\u0{}=\r\n ghp_a67";
        StringBuilder noise = new StringBuilder();
        for (int i = 0; i < 20_000; i++) {
            noise.append(alphabet.charAt(random.nextInt(alphabet.length())));
        }
        String most = TOKEN.substring(0, TOKEN.length() - 1);
        most.chars().forEach(c -> noise.append("&#%d;".formatted(c)));
        noise.append("&&&%%%\\\\===");
        assertThat(passed(noise.toString(), pieceBytes)).isEqualTo(noise.toString());
    }

    /// An event that is complete is not kept from its reader by what could follow.
    @Test
    void letsTheEndOfAnEventThrough() throws Exception {
        for (String event :
                List.of("data: {\"a\": 1}\n", "data: ends in ghp_\n\n", "ghp_\r\n\r\n")) {
            EchoGuard guard = new EchoGuard(NEEDLES);
            ByteBuf out = guard.pass(Unpooled.wrappedBuffer(bytes(event)));
            assertThat(out.toString(StandardCharsets.US_ASCII)).isEqualTo(event);
            out.release();
        }
    }

    /// What may be the secret is bounded, however it is written.
    @Test
    void holdsBackNoMoreThanALimit() throws Exception {
        EchoGuard guard = new EchoGuard(NEEDLES);
        int in = 0;
        int out = 0;
        for (String piece :
                List.of(
                        "&#" + "0".repeat(500),
                        "ghp_\n" + " ".repeat(500),
                        "\\u{" + "0".repeat(500))) {
            for (int i = 0; i < 200; i++) {
                ByteBuf passed = guard.pass(Unpooled.wrappedBuffer(bytes(piece)));
                in += piece.length();
                out += passed.readableBytes();
                passed.release();
                assertThat(in - out).isLessThan(200);
            }
        }
        guard.release();
    }

    /// The limit of E14: who encodes twice, or in a way of their own, is not understood.
    @Test
    void e14DoesNotFindWhatIsEncodedTwiceOrInOtherWays() {
        String base64 = Base64.getEncoder().encodeToString(bytes(TOKEN));
        for (String text :
                List.of(
                        Base64.getEncoder().encodeToString(bytes(base64)),
                        TOKEN.replace("_", "%255F"),
                        TOKEN.replace("_", "&amp;#95;"),
                        TOKEN.replace("_", "\\\\u005f"),
                        HexFormat.ofDelimiter(":").formatHex(bytes(TOKEN)),
                        TOKEN.replace("_", "\\137"),
                        TOKEN.replace("_", "\\5f "),
                        TOKEN.replace("_", "\\U0000005f"),
                        String.join("\0", TOKEN.split("")),
                        new StringBuilder(TOKEN).reverse().toString())) {
            assertThat(new EchoGuard(NEEDLES).isIn(text)).as(text).isFalse();
        }
    }
}

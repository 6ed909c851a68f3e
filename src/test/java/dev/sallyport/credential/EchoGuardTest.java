package dev.sallyport.credential;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
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
}

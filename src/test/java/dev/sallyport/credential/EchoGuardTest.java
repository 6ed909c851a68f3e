package dev.sallyport.credential;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
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

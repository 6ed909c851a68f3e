package dev.sallyport.git;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.RefusedException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.CRC32;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

final class GzipBodyTest {
    private static final int MAX = 1 << 20;

    private static byte[] gzip(byte[] plain) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(plain);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return out.toByteArray();
    }

    private static byte[] inflate(byte[] compressed, int pieceBytes) throws RefusedException {
        GzipBody body = new GzipBody(MAX);
        ByteBuf out = Unpooled.buffer();
        try {
            for (int i = 0; i < compressed.length; i += pieceBytes) {
                int to = Math.min(i + pieceBytes, compressed.length);
                body.offer(Unpooled.copiedBuffer(compressed, i, to - i));
                drain(body, out);
            }
            body.finish();
            drain(body, out);
            assertThat(body.isDone()).isTrue();
        } finally {
            body.release();
        }
        byte[] plain = new byte[out.readableBytes()];
        out.readBytes(plain);
        return plain;
    }

    private static void drain(GzipBody body, ByteBuf out) throws RefusedException {
        for (ByteBuf next = body.poll(); next != null; next = body.poll()) {
            assertThat(next.readableBytes()).isLessThanOrEqualTo(16_384);
            out.writeBytes(next);
        }
    }

    /// A gzip member of empty stored blocks, then one that says `x`.
    private static byte[] padded(int emptyBlocks) {
        ByteBuf out = Unpooled.buffer();
        out.writeBytes(new byte[] {0x1f, (byte) 0x8b, 8, 0, 0, 0, 0, 0, 0, 3});
        for (int i = 0; i < emptyBlocks; i++) {
            out.writeBytes(new byte[] {0, 0, 0, -1, -1});
        }
        out.writeBytes(new byte[] {1, 1, 0, -2, -1, 'x'});
        CRC32 crc = new CRC32();
        crc.update('x');
        out.writeIntLE((int) crc.getValue()).writeIntLE(1);
        byte[] all = new byte[out.readableBytes()];
        out.readBytes(all);
        return all;
    }

    @Test
    void g8KeepsNothingOfWhatInflatesToNothing() throws RefusedException {
        assertThat(inflate(padded(20_000), 65_536)).containsExactly('x');
    }

    @Test
    void g8EndsAStreamOfEmptyBlocksAtTheLimit() {
        assertRefused(Refusal.BODY_TOO_LARGE, padded(MAX / 5 + 1));
    }

    private static void assertRefused(Refusal refusal, byte[] compressed) {
        assertThatThrownBy(() -> inflate(compressed, 1_000))
                .isInstanceOfSatisfying(
                        RefusedException.class, e -> assertThat(e.refusal()).isEqualTo(refusal));
    }

    @Test
    void inflatesWhateverThePieces() throws Exception {
        byte[] plain = new byte[200_000];
        new Random(7).nextBytes(plain);
        Arrays.fill(plain, 50_000, 150_000, (byte) 'x');
        for (int pieceBytes : new int[] {1_023, 65_536, 1_000_000}) {
            assertThat(inflate(gzip(plain), pieceBytes)).isEqualTo(plain);
        }
        assertThat(inflate(gzip(new byte[] {1, 2, 3}), 1)).containsExactly(1, 2, 3);
        assertThat(inflate(gzip(new byte[0]), 1)).isEmpty();
    }

    @Test
    void g8ABombEndsAtTheLimit() {
        assertRefused(Refusal.BODY_TOO_LARGE, gzip(new byte[MAX + 1]));
    }

    @Test
    void g8RefusesWhatIsNotOnePlainMember() {
        byte[] good = gzip(new byte[10_000]);
        byte[] badCrc = good.clone();
        badCrc[good.length - 8] ^= 1;
        byte[] badSize = good.clone();
        badSize[good.length - 1] ^= 1;
        byte[] flags = good.clone();
        flags[3] = 8;
        byte[] twice = Arrays.copyOf(good, good.length * 2);
        System.arraycopy(good, 0, twice, good.length, good.length);
        assertRefused(Refusal.BAD_REQUEST, badCrc);
        assertRefused(Refusal.BAD_REQUEST, badSize);
        assertRefused(Refusal.BAD_REQUEST, flags);
        assertRefused(Refusal.BAD_REQUEST, twice);
        assertRefused(Refusal.BAD_REQUEST, Arrays.copyOf(good, good.length - 1));
        assertRefused(Refusal.BAD_REQUEST, Arrays.copyOf(good, 12));
        assertRefused(
                Refusal.BAD_REQUEST,
                "0014command=ls-refs\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
    }
}

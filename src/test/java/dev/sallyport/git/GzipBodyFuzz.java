package dev.sallyport.git;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.sallyport.fixture.Cut;
import dev.sallyport.relay.RefusedException;
import io.netty.buffer.ByteBuf;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.GZIPInputStream;
import java.util.zip.Inflater;

/// Reads the input as a gzip member, or as the inside of one whose trailer is made to fit: a fuzzer
/// does not guess checksums.
final class GzipBodyFuzz {
    private static final int MAX = 40_000;
    private static final byte[] HEADER = {0x1f, (byte) 0x8b, 8, 0, 0, 0, 0, 0, 0, 3};

    @FuzzTest
    void inflatesWhatGzipWouldAndNoMore(byte[] input) throws IOException {
        Cut cut = Cut.of(cutOf(input));
        long held = Cut.held();
        Optional<byte[]> plain = inflate(cut.pieces());
        Optional<byte[]> whole = inflate(cut.whole());
        assertThat(plain.isPresent()).isEqualTo(whole.isPresent());
        if (plain.isPresent()) {
            assertThat(plain.get()).isEqualTo(whole.orElseThrow());
            try (var gzip = new GZIPInputStream(new ByteArrayInputStream(cut.body()))) {
                assertThat(plain.get()).isEqualTo(gzip.readAllBytes());
            }
        }
        assertThat(Cut.held()).isEqualTo(held);
    }

    private static byte[] cutOf(byte[] input) throws IOException {
        Cut raw = Cut.of(input);
        if (!raw.flag()) {
            return input;
        }
        ByteArrayOutputStream member = new ByteArrayOutputStream();
        member.write(input[0]);
        member.write(HEADER);
        member.write(raw.body());
        member.write(trailer(raw.body()));
        return member.toByteArray();
    }

    private static byte[] trailer(byte[] deflated) {
        Inflater inflater = new Inflater(true);
        inflater.setInput(deflated);
        byte[] plain = new byte[2 * MAX];
        int length;
        try {
            length = inflater.inflate(plain);
        } catch (DataFormatException _) {
            length = 0;
        } finally {
            inflater.end();
        }
        CRC32 crc = new CRC32();
        crc.update(plain, 0, length);
        return little(crc.getValue(), length);
    }

    private static byte[] little(long crc, int length) {
        byte[] trailer = new byte[8];
        for (int i = 0; i < 4; i++) {
            trailer[i] = (byte) (crc >> (8 * i));
            trailer[4 + i] = (byte) (length >> (8 * i));
        }
        return trailer;
    }

    private static Optional<byte[]> inflate(List<ByteBuf> pieces) {
        GzipBody body = new GzipBody(MAX);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        boolean refused = false;
        for (ByteBuf piece : pieces) {
            if (refused) {
                piece.release();
                continue;
            }
            body.offer(piece);
            refused = !drain(body, out);
        }
        if (!refused) {
            body.finish();
            refused = !drain(body, out);
            assertThat(refused || body.isDone()).isTrue();
        }
        body.release();
        return refused ? Optional.empty() : Optional.of(out.toByteArray());
    }

    private static boolean drain(GzipBody body, ByteArrayOutputStream out) {
        try {
            for (ByteBuf next = body.poll(); next != null; next = body.poll()) {
                assertThat(next.readableBytes()).isBetween(1, 16_384);
                out.writeBytes(Cut.drained(next));
                assertThat(out.size()).isLessThanOrEqualTo(MAX);
            }
            return true;
        } catch (RefusedException e) {
            assertThat(e.refusal().name()).isIn("BAD_REQUEST", "BODY_TOO_LARGE");
            return false;
        }
    }
}

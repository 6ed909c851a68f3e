package dev.sallyport.git;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.sallyport.fixture.Cut;
import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.RefusedException;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

final class PktReaderFuzz {
    @FuzzTest
    void readsTheSameHoweverItArrives(byte[] input) {
        Cut cut = Cut.of(input);
        long held = Cut.held();
        assertThat(read(cut.pieces())).isEqualTo(read(cut.whole()));
        assertThat(Cut.held()).isEqualTo(held);
    }

    private static List<String> read(List<ByteBuf> pieces) {
        List<String> seen = new ArrayList<>();
        PktReader reader = new PktReader(Refusal.MALFORMED_PUSH);
        boolean refused = false;
        for (ByteBuf piece : pieces) {
            if (refused) {
                piece.release();
                continue;
            }
            reader.offer(piece);
            refused = !drain(reader, seen);
        }
        seen.add(refused ? "refused" : "rest " + reader.heldBytes());
        reader.release();
        return seen;
    }

    private static boolean drain(PktReader reader, List<String> seen) {
        try {
            PktLine next;
            while ((next = reader.poll()) != null) {
                seen.add(text(next));
            }
            assertThat(reader.heldBytes()).isLessThan(PktLine.BYTES_MAX);
            return true;
        } catch (RefusedException e) {
            assertThat(e.refusal()).isEqualTo(Refusal.MALFORMED_PUSH);
            return false;
        }
    }

    private static String text(PktLine line) {
        return switch (line) {
            case PktLine.Flush _ -> "flush";
            case PktLine.Data data ->
                    "data " + new String(data.payload(), StandardCharsets.ISO_8859_1);
        };
    }
}

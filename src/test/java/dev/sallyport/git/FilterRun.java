package dev.sallyport.git;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Cut;
import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.AnswerFilter;
import dev.sallyport.relay.RefusedException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Drives an answer filter from first piece to last, as a relay does.
final class FilterRun {
    private FilterRun() {}

    /// All that came out, in ISO-8859-1; empty when the filter refused.
    static Optional<String> through(AnswerFilter filter, List<ByteBuf> pieces) {
        StringBuilder out = new StringBuilder();
        boolean refused = false;
        for (ByteBuf piece : pieces) {
            if (refused) {
                piece.release();
                continue;
            }
            refused = !accepts(filter, piece, out);
        }
        refused |= !finishes(filter);
        filter.release();
        return refused ? Optional.empty() : Optional.of(out.toString());
    }

    private static boolean accepts(AnswerFilter filter, ByteBuf piece, StringBuilder out) {
        try {
            filter.accept(
                    piece,
                    part -> out.append(new String(Cut.drained(part), StandardCharsets.ISO_8859_1)));
            return true;
        } catch (RefusedException e) {
            assertThat(e.refusal().fault()).isEqualTo(Refusal.Fault.UPSTREAM);
            return false;
        }
    }

    private static boolean finishes(AnswerFilter filter) {
        try {
            filter.finish();
            return true;
        } catch (RefusedException e) {
            assertThat(e.refusal().fault()).isEqualTo(Refusal.Fault.UPSTREAM);
            return false;
        }
    }

    static ByteBuf wire(String latin) {
        byte[] bytes = latin.getBytes(StandardCharsets.ISO_8859_1);
        return Unpooled.buffer(bytes.length).writeBytes(bytes);
    }

    /// Cuts into payloads, without our own reader; a flush packet is an empty string.
    static List<String> payloads(String wire) {
        List<String> payloads = new ArrayList<>();
        for (int at = 0; at < wire.length(); ) {
            int length = Integer.parseInt(wire, at, at + 4, 16);
            payloads.add(length == 0 ? "" : wire.substring(at + 4, at + length));
            at += Math.max(4, length);
        }
        return payloads;
    }
}

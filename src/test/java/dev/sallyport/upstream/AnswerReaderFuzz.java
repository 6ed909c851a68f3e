package dev.sallyport.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.sallyport.config.Limits;
import dev.sallyport.fixture.Cut;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

final class AnswerReaderFuzz {
    private static final Limits.Upstream LIMITS =
            new Limits.Upstream(1, 1, 1, 1, 4_096, 128, 1, 1, 1, 1);

    /// E11: the same answer however it arrives, and nothing after its end.
    @FuzzTest
    void readsTheSameHoweverItArrives(byte[] input) {
        Cut cut = Cut.of(input);
        long held = Cut.held();
        assertThat(read(cut.pieces(), cut.flag())).isEqualTo(read(cut.whole(), cut.flag()));
        assertThat(Cut.held()).isEqualTo(held);
    }

    private static List<String> read(List<ByteBuf> pieces, boolean headRequest) {
        AnswerReader reader = new AnswerReader(LIMITS);
        reader.expect(headRequest);
        List<String> lines = new ArrayList<>();
        StringBuilder body = new StringBuilder();
        boolean over = false;
        for (ByteBuf piece : pieces) {
            reader.feed(piece);
            over |= !over && drain(reader, lines, body);
        }
        reader.release();
        lines.add(body.toString());
        return lines;
    }

    /// Whether the answer is not one.
    private static boolean drain(AnswerReader reader, List<String> lines, StringBuilder body) {
        try {
            for (Optional<AnswerPart> part = reader.next();
                    part.isPresent();
                    part = reader.next()) {
                switch (part.get()) {
                    case AnswerPart.Head(AnswerHead head) -> lines.add(checked(head));
                    case AnswerPart.Piece(ByteBuf bytes) ->
                            body.append(
                                    new String(Cut.drained(bytes), StandardCharsets.ISO_8859_1));
                    case AnswerPart.Trailers(var fields) -> lines.add("after " + fields);
                    case AnswerPart.End _ -> {
                        assertThat(lines).doesNotContain("end");
                        lines.add("end");
                    }
                }
            }
            return false;
        } catch (BadAnswerException _) {
            lines.add("bad");
            return true;
        }
    }

    private static String checked(AnswerHead head) {
        assertThat(head.status()).isBetween(100, 599);
        for (AnswerHead.Field field : head.fields()) {
            assertThat(field.name()).matches("[!-~&&[^A-Z:]]+");
            assertThat(field.value()).matches("[\t -~\u0080-\u00ff]*");
        }
        return head.toString();
    }
}

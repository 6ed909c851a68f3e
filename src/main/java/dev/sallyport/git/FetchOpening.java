package dev.sallyport.git;

import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.AnswerFilter;
import dev.sallyport.relay.RefusedException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/// The packet before the side band of an answer to a fetch, if the request alone says which that
/// is. Then the answer can begin before it is known who gives it.
enum FetchOpening {
    /// Something else comes first: which of the client's commits are common, or where history is
    /// cut. Or there is no side band.
    UNKNOWN(""),

    /// Before version 2, when the client says that it has nothing.
    NAK("NAK"),

    /// In version 2, when the client says that it is done.
    PACKFILE("packfile");

    private final String word;

    FetchOpening(String word) {
        this.word = word;
    }

    ByteBuf packet() {
        ByteBuf out = Unpooled.buffer();
        PktLine.write(out, word + "\n");
        return out;
    }

    /// Takes this packet off an answer that was begun with it. An answer that begins otherwise is
    /// refused; an error instead of it becomes one of the side band.
    AnswerFilter taken() {
        return new Taken();
    }

    private final class Taken implements AnswerFilter {
        private static final String ERROR = "ERR ";

        private final PktReader reader = new PktReader(Refusal.UPSTREAM_MISBEHAVED);
        private boolean passing;
        private boolean ended;

        @Override
        public void accept(ByteBuf piece, Consumer<ByteBuf> out) throws RefusedException {
            if (passing) {
                out.accept(piece);
                return;
            }
            if (ended) {
                piece.release();
                return;
            }
            reader.offer(piece);
            PktLine first = reader.poll();
            if (first == null) {
                return;
            }
            String line =
                    first instanceof PktLine.Data data
                            ? new String(data.line(), StandardCharsets.UTF_8)
                            : "";
            if (line.equals(word)) {
                passing = true;
                out.accept(reader.rest());
            } else if (line.startsWith(ERROR)) {
                ended = true;
                out.accept(PushReport.error(line.substring(ERROR.length())));
            } else {
                throw new RefusedException(
                        Refusal.UPSTREAM_MISBEHAVED, "an answer to this request begins otherwise");
            }
        }

        @Override
        public void finish() throws RefusedException {
            if (!passing && !ended) {
                throw new RefusedException(
                        Refusal.UPSTREAM_MISBEHAVED, "the answer ended before it began");
            }
        }

        @Override
        public void release() {
            reader.release();
        }
    }
}

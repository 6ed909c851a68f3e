package dev.sallyport.git;

import dev.sallyport.policy.Refusal;
import io.netty.buffer.ByteBuf;
import java.util.function.Consumer;

/// Relays what upstream says about a push, packet by packet, with every control byte replaced: the
/// text ends on a person's terminal, where an escape sequence could rewrite what was said.
///
/// The replacement has the same length, so the report inside the side band stays well-formed.
final class ReportScrubber implements AnswerFilter {
    private static final int SUBSTITUTE = '?';

    private final boolean sideband;
    private final PktReader reader = new PktReader(Refusal.UPSTREAM_MISBEHAVED);

    ReportScrubber(boolean sideband) {
        this.sideband = sideband;
    }

    @Override
    public void accept(ByteBuf piece, Consumer<ByteBuf> out) throws RefusedException {
        ByteBuf scrubbed = piece.alloc().buffer(piece.readableBytes());
        reader.offer(piece);
        try {
            PktLine next;
            while ((next = reader.poll()) != null) {
                switch (next) {
                    case PktLine.Flush _ -> PktLine.writeFlush(scrubbed);
                    case PktLine.Data data -> PktLine.write(scrubbed, scrub(data.payload()));
                }
            }
        } catch (RefusedException e) {
            scrubbed.release();
            throw e;
        }
        out.accept(scrubbed);
    }

    private byte[] scrub(byte[] payload) throws RefusedException {
        int from = 0;
        if (sideband) {
            if (payload.length == 0 || payload[0] < 1 || payload[0] > 3) {
                throw new RefusedException(Refusal.UPSTREAM_MISBEHAVED, "no such side band");
            }
            from = 1;
        }
        byte[] clean = payload.clone();
        for (int i = from; i < payload.length; i++) {
            if (isControl(payload, i)) {
                clean[i] = SUBSTITUTE;
            }
        }
        return clean;
    }

    /// C0 but for tab, line feed and carriage return, with which progress is drawn; DEL; and C1 in
    /// its UTF-8 form.
    private static boolean isControl(byte[] text, int i) {
        int b = text[i] & 0xff;
        if (b < 0x20) {
            return b != '\t' && b != '\n' && b != '\r';
        }
        return b == 0x7f || isC1(text, i) || (i > 0 && isC1(text, i - 1));
    }

    private static boolean isC1(byte[] text, int i) {
        return (text[i] & 0xff) == 0xc2
                && i + 1 < text.length
                && (text[i + 1] & 0xff) >= 0x80
                && (text[i + 1] & 0xff) < 0xa0;
    }

    @Override
    public void finish() throws RefusedException {
        if (reader.heldBytes() > 0) {
            throw new RefusedException(Refusal.UPSTREAM_MISBEHAVED, "the report is cut");
        }
    }

    @Override
    public void release() {
        reader.release();
    }

    @Override
    public boolean keepsLength() {
        return false;
    }
}

package dev.sallyport.git;

import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.AnswerFilter;
import dev.sallyport.relay.RefusedException;
import io.netty.buffer.ByteBuf;
import java.util.function.Consumer;

/// Relays what upstream says about a push, packet by packet, with every control byte replaced: the
/// text ends on a person's terminal, where an escape sequence could rewrite what was said.
///
/// The replacement has the same length, so the report inside the side band stays well-formed.
final class ReportScrubber implements AnswerFilter {
    private static final int SUBSTITUTE = '?';
    private static final byte FIRST_OF_C1 = (byte) 0xc2;
    private static final int BAND_REPORT = 1;
    private static final int BAND_TEXT = 2;
    private static final int BANDS = 3;

    private final boolean sideband;
    private final UpstreamReport report;
    private final PktReader reader = new PktReader(Refusal.UPSTREAM_MISBEHAVED);

    /// By band, of which 0 stands for none: whether its last packet ended in the first half of what
    /// may become a C1 control. The terminal sees no packets.
    private final boolean[] halfC1 = new boolean[BANDS + 1];

    /// @param report is shown what upstream reports, as the sandbox gets it
    ReportScrubber(boolean sideband, UpstreamReport report) {
        this.sideband = sideband;
        this.report = report;
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
        int band = sideband ? band(payload) : 0;
        int from = sideband ? 1 : 0;
        byte[] clean = payload.clone();
        for (int i = from; i < payload.length; i++) {
            if (isControl(payload, i)) {
                clean[i] = SUBSTITUTE;
            }
        }
        if (from < payload.length) {
            if (halfC1[band] && isSecondOfC1(payload[from])) {
                clean[from] = SUBSTITUTE;
            }
            halfC1[band] = clean[payload.length - 1] == FIRST_OF_C1;
        }
        if (!sideband) {
            report.line(clean);
        } else if (clean[0] == BAND_REPORT) {
            report.part(clean, 1);
        }
        return clean;
    }

    /// Errors go where progress goes.
    private static int band(byte[] payload) throws RefusedException {
        if (payload.length == 0 || payload[0] < 1 || payload[0] > BANDS) {
            throw new RefusedException(Refusal.UPSTREAM_MISBEHAVED, "no such side band");
        }
        return Math.min(payload[0], BAND_TEXT);
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
        return text[i] == FIRST_OF_C1 && i + 1 < text.length && isSecondOfC1(text[i + 1]);
    }

    private static boolean isSecondOfC1(byte b) {
        return (b & 0xe0) == 0x80;
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
        report.release();
    }
}

package dev.sallyport.git;

import dev.sallyport.relay.AnswerFilter;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Consumer;

/// Puts lines for whoever fetches into an answer of protocol version 2: right behind its packet
/// `packfile`, from where on every packet has a side band. All other bytes pass at once and as they
/// are; an answer without that packet, or one that is not made of packets, gets no lines.
final class FetchNotice implements AnswerFilter {
    private static final String BEGIN = "packfile";
    private static final int LENGTH_MIN = PktLine.LENGTH_BYTES + BEGIN.length();

    /// With the line feed that may end it.
    private static final int LENGTH_MAX = LENGTH_MIN + 1;

    private final List<String> notices;

    /// The packet that is being read, as far as it may be the one.
    private final byte[] packet = new byte[LENGTH_MAX];

    private int held;
    private int length;
    private int passing;
    private boolean watching = true;

    FetchNotice(List<String> notices) {
        this.notices = notices;
    }

    @Override
    public void accept(ByteBuf piece, Consumer<ByteBuf> out) {
        int at = piece.readerIndex();
        while (watching && at < piece.writerIndex()) {
            if (passing > 0) {
                int passed = Math.min(passing, piece.writerIndex() - at);
                passing -= passed;
                at += passed;
            } else if (isEnd(piece.getByte(at++))) {
                watching = false;
                out.accept(piece.readRetainedSlice(at - piece.readerIndex()));
                notices.forEach(notice -> out.accept(PushReport.line(notice)));
            }
        }
        out.accept(piece);
    }

    /// Whether the packet that was looked for ends with this byte.
    private boolean isEnd(byte next) {
        packet[held++] = next;
        if (held == PktLine.LENGTH_BYTES) {
            measure();
        } else if (held == length) {
            held = 0;
            String payload = text(PktLine.LENGTH_BYTES, length);
            return payload.equals(BEGIN) || payload.equals(BEGIN + "\n");
        }
        return false;
    }

    private void measure() {
        length = hex(text(0, PktLine.LENGTH_BYTES));
        if (length < 0 || length > PktLine.BYTES_MAX) {
            watching = false;
        } else if (length < LENGTH_MIN || length > LENGTH_MAX) {
            passing = Math.max(0, length - PktLine.LENGTH_BYTES);
            held = 0;
            length = 0;
        }
    }

    private static int hex(String digits) {
        try {
            return HexFormat.fromHexDigits(digits);
        } catch (NumberFormatException _) {
            return -1;
        }
    }

    private String text(int from, int to) {
        return new String(packet, from, to - from, StandardCharsets.ISO_8859_1);
    }

    @Override
    public void finish() {}
}

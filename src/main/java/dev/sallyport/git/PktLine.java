package dev.sallyport.git;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/// One packet of git's wire format: four hex digits of length, which count themselves, and a
/// payload; `0000` is the flush packet.
sealed interface PktLine {
    /// Longest packet of git (`LARGE_PACKET_MAX`), its length field included.
    int BYTES_MAX = 65_520;

    int LENGTH_BYTES = 4;

    record Flush() implements PktLine {}

    final class Data implements PktLine {
        private final byte[] payload;

        /// Takes the array without a copy.
        Data(byte[] payload) {
            this.payload = payload;
        }

        byte[] payload() {
            return payload;
        }

        /// The payload without the one line feed that may end it.
        byte[] line() {
            int length = payload.length;
            boolean feed = length > 0 && payload[length - 1] == '\n';
            return feed ? java.util.Arrays.copyOf(payload, length - 1) : payload;
        }
    }

    static void write(ByteBuf out, byte[] payload) {
        if (payload.length + LENGTH_BYTES > BYTES_MAX) {
            throw new IllegalArgumentException("a packet has at most " + BYTES_MAX + " bytes");
        }
        out.writeBytes(length(payload.length + LENGTH_BYTES)).writeBytes(payload);
    }

    static void write(ByteBuf out, String payload) {
        write(out, payload.getBytes(StandardCharsets.UTF_8));
    }

    static void writeFlush(ByteBuf out) {
        out.writeBytes(length(0));
    }

    static byte[] length(int bytes) {
        return HexFormat.of().toHexDigits((short) bytes).getBytes(StandardCharsets.US_ASCII);
    }
}

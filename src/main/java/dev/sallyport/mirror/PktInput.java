package dev.sallyport.mirror;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/// Cuts upstream's answer into git's packets, strictly: lower-case hex, flush packets, and nothing
/// longer than git's own limit.
final class PktInput {
    private static final int LENGTH_BYTES = 4;
    private static final int BYTES_MAX = 65_520;

    private final InputStream in;

    PktInput(InputStream in) {
        this.in = in;
    }

    /// The payload of the next packet, or null for a flush.
    byte @Nullable [] next() throws IOException {
        int length = length(in.readNBytes(LENGTH_BYTES));
        if (length == 0) {
            return null;
        }
        if (length < LENGTH_BYTES || length > BYTES_MAX) {
            throw new WireException("a packet is a flush or has 4 to 65520 bytes");
        }
        byte[] payload = in.readNBytes(length - LENGTH_BYTES);
        if (payload.length < length - LENGTH_BYTES) {
            throw new EOFException("the answer ends in a packet");
        }
        return payload;
    }

    private static int length(byte[] digits) throws IOException {
        if (digits.length < LENGTH_BYTES) {
            throw new EOFException("the answer ends before its last packet");
        }
        int length = 0;
        for (byte each : digits) {
            int digit = "0123456789abcdef".indexOf(each);
            if (digit < 0) {
                throw new WireException("a packet's length is four lower-case hex digits");
            }
            length = length << 4 | digit;
        }
        return length;
    }

    /// Nothing may follow.
    void requireEnd() throws IOException {
        if (in.read() >= 0) {
            throw new WireException("something follows the last packet");
        }
    }
}

package dev.sallyport.git;

import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.RefusedException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/// Cuts a stream into packets, strictly: lower-case hex, no special packets (`0001` to `0003`), no
/// longer than git's own limit. Holds at most one unfinished packet beyond the piece it was given.
final class PktReader {
    private final Refusal blame;
    private ByteBuf held = Unpooled.EMPTY_BUFFER;

    /// @param blame the reason of every refusal, which says whose bytes these are
    PktReader(Refusal blame) {
        this.blame = blame;
    }

    /// Takes ownership.
    void offer(ByteBuf piece) {
        if (!held.isReadable()) {
            held.release();
            held = piece;
            return;
        }
        ByteBuf joined = piece.alloc().buffer(held.readableBytes() + piece.readableBytes());
        joined.writeBytes(held).writeBytes(piece);
        held.release();
        piece.release();
        held = joined;
    }

    /// The next packet, or null when more bytes are needed.
    @Nullable PktLine poll() throws RefusedException {
        if (held.readableBytes() < PktLine.LENGTH_BYTES) {
            return null;
        }
        int length = length();
        if (length == 0) {
            held.skipBytes(PktLine.LENGTH_BYTES);
            return new PktLine.Flush();
        }
        if (length < PktLine.LENGTH_BYTES || length > PktLine.BYTES_MAX) {
            throw new RefusedException(blame, "a packet is a flush or has 4 to 65520 bytes");
        }
        if (held.readableBytes() < length) {
            return null;
        }
        byte[] payload = new byte[length - PktLine.LENGTH_BYTES];
        held.skipBytes(PktLine.LENGTH_BYTES).readBytes(payload);
        return new PktLine.Data(payload);
    }

    private int length() throws RefusedException {
        int length = 0;
        for (int i = 0; i < PktLine.LENGTH_BYTES; i++) {
            int digit = "0123456789abcdef".indexOf(held.getByte(held.readerIndex() + i));
            if (digit < 0) {
                throw new RefusedException(
                        blame, "a packet's length is four lower-case hex digits");
            }
            length = length << 4 | digit;
        }
        return length;
    }

    int heldBytes() {
        return held.readableBytes();
    }

    /// Hands over the bytes behind the last packet; the reader is empty afterwards.
    ByteBuf rest() {
        ByteBuf rest = held;
        held = Unpooled.EMPTY_BUFFER;
        return rest;
    }

    void release() {
        rest().release();
    }
}

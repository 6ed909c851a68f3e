package dev.sallyport.git;

import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.BodySource;
import dev.sallyport.relay.RefusedException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.jspecify.annotations.Nullable;

/// Inflates a gzip body (RFC 1952) a little at a time. One member, a plain header as zlib writes
/// it, and a trailer that is checked. The limit counts bytes on both sides: a bomb ends at the
/// limit, and so does a stream of empty blocks, which inflates to nothing.
final class GzipBody implements BodySource {
    private static final int OUT_BYTES_MAX = 16_384;
    private static final int HEADER_BYTES = 10;
    private static final int TRAILER_BYTES = 8;

    private enum State {
        HEADER,
        DEFLATED,
        TRAILER,
        OVER
    }

    private final Inflater inflater = new Inflater(true);
    private final CRC32 crc = new CRC32();
    private final long bytesMax;
    private State state = State.HEADER;
    private ByteBuf compressed = Unpooled.EMPTY_BUFFER;
    private long inflated;
    private long taken;
    private boolean finished;

    GzipBody(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    @Override
    public void offer(ByteBuf piece) {
        ByteBuf joined = Unpooled.buffer(compressed.readableBytes() + piece.readableBytes());
        joined.writeBytes(compressed).writeBytes(piece);
        compressed.release();
        piece.release();
        compressed = joined;
    }

    @Override
    public void finish() {
        finished = true;
    }

    @Override
    public @Nullable ByteBuf poll() throws RefusedException {
        if (state == State.HEADER && compressed.readableBytes() >= HEADER_BYTES) {
            header();
        }
        ByteBuf piece = state == State.DEFLATED ? inflateSome() : null;
        if (state == State.TRAILER && compressed.readableBytes() >= TRAILER_BYTES) {
            trailer();
        }
        boolean excess = state == State.OVER && compressed.isReadable();
        boolean missing = finished && piece == null && state != State.OVER;
        if (excess || missing) {
            if (piece != null) {
                piece.release();
            }
            throw malformed();
        }
        return piece;
    }

    private void header() throws RefusedException {
        boolean plain =
                compressed.readUnsignedShort() == 0x1f8b
                        && compressed.readByte() == 8
                        && compressed.readByte() == 0;
        if (!plain) {
            throw malformed();
        }
        compressed.skipBytes(HEADER_BYTES - 4);
        state = State.DEFLATED;
    }

    /// What has inflated to nothing must not stay here, or it would pile up.
    private @Nullable ByteBuf inflateSome() throws RefusedException {
        ByteBuf piece = inflate();
        while (piece == null && state == State.DEFLATED && compressed.isReadable()) {
            piece = inflate();
        }
        return piece;
    }

    private @Nullable ByteBuf inflate() throws RefusedException {
        byte[] in = new byte[Math.min(compressed.readableBytes(), OUT_BYTES_MAX)];
        compressed.getBytes(compressed.readerIndex(), in);
        inflater.setInput(in);
        byte[] out = new byte[OUT_BYTES_MAX];
        int length;
        try {
            length = inflater.inflate(out);
        } catch (DataFormatException _) {
            throw malformed();
        }
        int used = in.length - inflater.getRemaining();
        compressed.skipBytes(used);
        taken += used;
        count(out, length);
        if (inflater.finished()) {
            state = State.TRAILER;
        } else if (inflater.needsDictionary()) {
            throw malformed();
        }
        return length == 0 ? null : Unpooled.wrappedBuffer(out, 0, length);
    }

    private void count(byte[] out, int length) throws RefusedException {
        crc.update(out, 0, length);
        inflated += length;
        if (inflated > bytesMax || taken > bytesMax) {
            throw new RefusedException(Refusal.BODY_TOO_LARGE, "the body is too large");
        }
    }

    private void trailer() throws RefusedException {
        boolean sound =
                compressed.readUnsignedIntLE() == crc.getValue()
                        && compressed.readUnsignedIntLE() == (inflated & 0xffff_ffffL);
        if (!sound) {
            throw malformed();
        }
        state = State.OVER;
    }

    private static RefusedException malformed() {
        return new RefusedException(Refusal.BAD_REQUEST, "the body is not one plain gzip member");
    }

    @Override
    public boolean isDone() {
        return finished && state == State.OVER && !compressed.isReadable();
    }

    @Override
    public void release() {
        inflater.end();
        compressed.release();
        compressed = Unpooled.EMPTY_BUFFER;
    }
}

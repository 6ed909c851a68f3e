package dev.sallyport.http;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/// Takes the framing off the body of a message of HTTP/1.1 (RFC 9112, sections 6 and 7). It is the
/// same for requests and for answers, so that no two readers here disagree about where one ends.
///
/// ```
/// SIZED ───────────────────────────────────────────▶ end
/// CHUNK_SIZE ─▶ CHUNK ─▶ CHUNK_SIZE …
///      └─ last ─▶ AFTER_LAST ── empty line ────────▶ end
///                     └─ fields ─▶ SIZED, of nothing
/// ```
public final class BodyReader {
    /// There is none.
    public static final BodyReader NONE = new BodyReader(State.SIZED, 0, 0);

    private static final int DIGITS_MAX = 8;
    private static final int LINE_END_BYTES = 2;

    /// What there is.
    public enum Found {
        /// Nothing, until more bytes come.
        STARVED,
        /// To be taken with [#piece].
        PIECE,
        /// Fields after the last chunk, to be taken with [#trailers]. The end follows.
        TRAILERS,
        END,
        /// It is malformed, or could be read in two ways. Nothing after it means anything.
        BAD
    }

    private enum State {
        SIZED,
        CHUNK_SIZE,
        CHUNK,
        AFTER_LAST
    }

    private final int trailerBytesMax;
    private State state;

    /// Of the body, or of the chunk.
    private long left;

    /// Of the fields after the last chunk: known to be clean, or all of them.
    private int scanned;

    private BodyReader(State state, long left, int trailerBytesMax) {
        this.state = state;
        this.left = left;
        this.trailerBytesMax = trailerBytesMax;
    }

    public static BodyReader sized(long bytes) {
        return bytes == 0 ? NONE : new BodyReader(State.SIZED, bytes, 0);
    }

    /// One that says itself where it ends.
    ///
    /// @param trailerBytesMax of the fields after the last chunk; 0 takes none
    public static BodyReader chunked(int trailerBytesMax) {
        return new BodyReader(State.CHUNK_SIZE, 0, trailerBytesMax);
    }

    public Found read(ByteBuf in) {
        return switch (state) {
            case SIZED -> left == 0 ? Found.END : data(in);
            case CHUNK -> left == 0 ? chunkEnd(in) : data(in);
            case CHUNK_SIZE -> chunkSize(in);
            case AFTER_LAST -> afterLast(in);
        };
    }

    private static Found data(ByteBuf in) {
        return in.isReadable() ? Found.PIECE : Found.STARVED;
    }

    /// What has arrived of the body, or of the chunk; ownership passes.
    public ByteBuf piece(ByteBuf in) {
        int bytes = (int) Math.min(left, in.readableBytes());
        left -= bytes;
        return in.readRetainedSlice(bytes);
    }

    /// The lines without the closing empty one; one character per byte.
    public String trailers(ByteBuf in) {
        String text = in.toString(in.readerIndex(), scanned - 4, StandardCharsets.ISO_8859_1);
        in.skipBytes(scanned);
        state = State.SIZED;
        return text;
    }

    /// Whether all of it was taken but its end.
    public boolean isTaken() {
        return state == State.SIZED && left == 0;
    }

    private Found chunkEnd(ByteBuf in) {
        Found end = lineEnd(in, in.readerIndex());
        if (end != Found.END) {
            return end;
        }
        in.skipBytes(LINE_END_BYTES);
        state = State.CHUNK_SIZE;
        return chunkSize(in);
    }

    /// Hex digits and CRLF, nothing else. Extensions are where readers differ (CVE-2025-22871), and
    /// nobody of ours needs one.
    private Found chunkSize(ByteBuf in) {
        long size = 0;
        int start = in.readerIndex();
        int digits = 0;
        int digitsMax = Math.min(in.readableBytes(), DIGITS_MAX);
        while (digits < digitsMax && Ascii.hex(in.getUnsignedByte(start + digits)) >= 0) {
            size = size * 16 + Ascii.hex(in.getUnsignedByte(start + digits));
            digits++;
        }
        Found end = lineEnd(in, start + digits);
        if (end != Found.END) {
            return end;
        }
        if (digits == 0) {
            return Found.BAD;
        }
        in.skipBytes(digits + LINE_END_BYTES);
        left = size;
        state = size == 0 ? State.AFTER_LAST : State.CHUNK;
        return read(in);
    }

    /// An empty line, or fields and then one.
    private Found afterLast(ByteBuf in) {
        if (!in.isReadable()) {
            return Found.STARVED;
        }
        if (trailerBytesMax == 0 || in.getByte(in.readerIndex()) == '\r') {
            Found end = lineEnd(in, in.readerIndex());
            if (end == Found.END) {
                in.skipBytes(LINE_END_BYTES);
            }
            return end;
        }
        return switch (HeadScan.of(in, scanned, trailerBytesMax)) {
            case HeadScan.Unfinished(int clean) -> {
                scanned = clean;
                yield Found.STARVED;
            }
            case HeadScan.TooLarge _, HeadScan.Dirty _ -> Found.BAD;
            case HeadScan.Complete(int bytes) -> {
                scanned = bytes;
                yield Found.TRAILERS;
            }
        };
    }

    /// [Found#END] when a line ends at this place; a wrong first byte is told at once.
    private static Found lineEnd(ByteBuf in, int index) {
        int available = in.writerIndex() - index;
        if (available >= 1 && in.getByte(index) != '\r') {
            return Found.BAD;
        }
        if (available < LINE_END_BYTES) {
            return Found.STARVED;
        }
        return in.getByte(index + 1) == '\n' ? Found.END : Found.BAD;
    }
}

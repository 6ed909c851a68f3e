package dev.sallyport.http;

import io.netty.buffer.ByteBuf;

/// What a look for the end of a head found. Bare line ends, NUL and other control bytes are found
/// here, before anything is parsed.
public sealed interface HeadScan {
    /// The end is not there yet.
    ///
    /// @param clean how many bytes need no second look
    record Unfinished(int clean) implements HeadScan {}

    /// The end is there.
    ///
    /// @param bytes length with the closing empty line
    record Complete(int bytes) implements HeadScan {}

    /// The end is not there, and no room is left for it.
    record TooLarge() implements HeadScan {}

    /// There is a byte that no head has.
    record Dirty() implements HeadScan {}

    /// Looks at what has arrived.
    ///
    /// @param from how many bytes from the reader index are already known to be clean
    static HeadScan of(ByteBuf in, int from, int bytesMax) {
        int start = in.readerIndex();
        int length = Math.min(in.readableBytes(), bytesMax);
        for (int i = from; i < length; i++) {
            byte b = in.getByte(start + i);
            if (b == '\r') {
                if (i + 1 == length) {
                    return length == bytesMax ? new TooLarge() : new Unfinished(i);
                }
                if (in.getByte(start + i + 1) != '\n') {
                    return new Dirty();
                }
                i++;
                if (endsHead(in, start, i)) {
                    return new Complete(i + 1);
                }
            } else if ((b >= 0 && b < 0x20 && b != '\t') || b == 0x7f) {
                return new Dirty();
            }
        }
        return length == bytesMax ? new TooLarge() : new Unfinished(length);
    }

    private static boolean endsHead(ByteBuf in, int start, int lineFeed) {
        return lineFeed >= 3
                && in.getByte(start + lineFeed - 2) == '\n'
                && in.getByte(start + lineFeed - 3) == '\r';
    }
}

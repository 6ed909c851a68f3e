package dev.sallyport.egress;

import io.netty.buffer.ByteBuf;
import java.util.HexFormat;

/// What a host's first bytes say about who speaks next.
enum ServerAnswer {
    NEED_MORE,
    /// HelloRetryRequest: another ClientHello follows, in the open.
    HELLO_AGAIN,
    /// Whatever the sandbox says now is between it and the host.
    OTHER,
    /// A ServerHello that is cut into pieces so small that it cannot be told what it is. No server
    /// does that.
    STRANGE;

    /// From the record's header to the end of the random.
    static final int BYTES = 43;

    private static final int HANDSHAKE = 22;
    private static final int SERVER_HELLO = 2;
    private static final int RECORD_HEADER_BYTES = 5;
    private static final int RANDOM_AT = 11;

    /// RFC 8446, section 4.1.3: the SHA-256 of "HelloRetryRequest".
    private static final byte[] RETRY =
            HexFormat.of()
                    .parseHex("cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c");

    /// @param bytes from the first on
    static ServerAnswer of(ByteBuf bytes) {
        int start = bytes.readerIndex();
        int count = bytes.readableBytes();
        if (count >= 1 && bytes.getByte(start) != HANDSHAKE) {
            return OTHER;
        }
        if (count >= RECORD_HEADER_BYTES
                && bytes.getUnsignedShort(start + 3) < BYTES - RECORD_HEADER_BYTES) {
            return STRANGE;
        }
        if (count > RECORD_HEADER_BYTES
                && bytes.getByte(start + RECORD_HEADER_BYTES) != SERVER_HELLO) {
            return OTHER;
        }
        if (count < BYTES) {
            return NEED_MORE;
        }
        for (int i = 0; i < RETRY.length; i++) {
            if (bytes.getByte(start + RANDOM_AT + i) != RETRY[i]) {
                return OTHER;
            }
        }
        return HELLO_AGAIN;
    }
}

package dev.sallyport.egress;

import dev.sallyport.credential.EchoException;
import dev.sallyport.credential.EchoGuard;
import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.RefusedException;
import io.netty.buffer.ByteBuf;

/// Watches what a host says in a WebSocket for the secret that went along with the handshake. It
/// looks at the contents of the frames (RFC 6455, section 5.2) and not at their heads, so that no
/// secret gets through because it was cut into frames.
///
/// Extensions are not offered where a secret is injected, so frames are neither compressed nor
/// otherwise changed; one that says so is refused.
final class WebSocketGuard {
    private static final int FINAL = 0x80;
    private static final int RESERVED = 0x70;
    private static final int OPCODE = 0x0f;
    private static final int CONTROL = 0x08;
    private static final int MASKED = 0x80;
    private static final int SHORT_LENGTH = 126;
    private static final int LONG_LENGTH = 127;
    private static final int CONTROL_BYTES_MAX = 125;
    private static final int HEAD_BYTES_MAX = 10;

    private final EchoGuard guard;
    private final byte[] head = new byte[HEAD_BYTES_MAX];
    private int headBytes;
    private long left;
    private boolean control;
    private boolean endsMessage;

    WebSocketGuard(EchoGuard guard) {
        this.guard = guard;
    }

    /// Takes ownership; returns what may be let through now, which may be nothing.
    ByteBuf pass(ByteBuf piece) throws RefusedException {
        try {
            return read(piece);
        } catch (EchoException _) {
            throw new RefusedException(Refusal.UPSTREAM_MISBEHAVED, "the host repeats a secret");
        }
    }

    private ByteBuf read(ByteBuf piece) throws EchoException, RefusedException {
        int at = piece.readerIndex();
        int end = piece.writerIndex();
        while (at < end) {
            if (left > 0) {
                int length = (int) Math.min(left, end - at);
                look(piece, at, length);
                left -= length;
                at += length;
            } else {
                head(piece, at++);
            }
        }
        boolean over = headBytes == 0 && left == 0;
        return guard.release(piece, over && (control || endsMessage));
    }

    /// A ping between two frames of a message is not a part of it.
    private void look(ByteBuf piece, int from, int length) throws EchoException {
        if (control) {
            guard.lookAside(piece, from, length);
        } else {
            guard.look(piece, from, length);
        }
    }

    private void head(ByteBuf piece, int at) throws RefusedException {
        head[headBytes++] = piece.getByte(at);
        guard.skip(1);
        if (headBytes < 2 || headBytes < headLength()) {
            return;
        }
        headBytes = 0;
        left = length();
        control = (head[0] & CONTROL) != 0;
        endsMessage = (head[0] & FINAL) != 0;
        if (!isWellFormed()) {
            piece.release();
            guard.release();
            throw new RefusedException(
                    Refusal.UPSTREAM_MISBEHAVED, "the host's frame is malformed");
        }
    }

    private int headLength() {
        return switch (head[1] & 0x7f) {
            case SHORT_LENGTH -> 4;
            case LONG_LENGTH -> HEAD_BYTES_MAX;
            default -> 2;
        };
    }

    private long length() {
        long length = head[1] & 0x7f;
        if (length >= SHORT_LENGTH) {
            int bytes = headLength();
            length = 0;
            for (int i = 2; i < bytes; i++) {
                length = length << 8 | (head[i] & 0xff);
            }
        }
        return length;
    }

    private boolean isWellFormed() {
        boolean known = (head[0] & OPCODE & ~CONTROL) <= 2;
        boolean whole = !control || (endsMessage && left <= CONTROL_BYTES_MAX);
        return known && whole && left >= 0 && (head[0] & RESERVED) == 0 && (head[1] & MASKED) == 0;
    }

    void release() {
        guard.release();
    }
}

package dev.sallyport.credential;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/// Keeps an injected secret from coming back in the answer. It lets a stream through, holding back
/// only bytes that may be the beginning of the secret, so that not even a part is let out.
///
/// An upstream that wants to betray its own secret can encode it in ways that nobody looks for;
/// this is for echoes, debug pages and error texts.
public final class EchoGuard {
    private final Needles needles;
    private int state;
    private ByteBuf held = Unpooled.EMPTY_BUFFER;

    EchoGuard(Needles needles) {
        this.needles = needles;
    }

    /// Takes ownership; returns what may be let through now, which may be nothing.
    public ByteBuf pass(ByteBuf piece) throws EchoException {
        int end = piece.writerIndex();
        for (int i = piece.readerIndex(); i < end; i++) {
            state = needles.step(state, piece.getByte(i));
            if (needles.isComplete(state)) {
                piece.release();
                release();
                throw new EchoException();
            }
        }
        int suspicious = needles.depth(state);
        return suspicious == 0 && !held.isReadable() ? piece : split(piece, suspicious);
    }

    /// Whether a text of its own, such as a field of the answer's head, has the secret in it.
    public boolean isIn(String text) {
        int at = 0;
        for (int i = 0; i < text.length(); i++) {
            at = needles.step(at, text.charAt(i));
            if (needles.isComplete(at)) {
                return true;
            }
        }
        return false;
    }

    private ByteBuf split(ByteBuf piece, int suspicious) {
        ByteBuf all = Unpooled.wrappedBuffer(held, piece);
        ByteBuf clear = all.readRetainedSlice(all.readableBytes() - suspicious);
        held = Unpooled.copiedBuffer(all);
        all.release();
        return clear;
    }

    /// The stream has ended: what was held back was not the secret after all.
    public ByteBuf rest() {
        ByteBuf rest = held;
        held = Unpooled.EMPTY_BUFFER;
        state = 0;
        return rest;
    }

    public void release() {
        rest().release();
    }
}

package dev.sallyport.credential;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// Keeps an injected secret from coming back in the answer. It lets a stream through, holding back
/// only bytes that may be the beginning of the secret, so that not even a part is let out.
///
/// An upstream that wants to betray its own secret can encode it in ways that nobody looks for, or
/// twice; this is for echoes, debug pages and error texts.
public final class EchoGuard {
    /// What is shorter than this at the end of a message is there by chance.
    private static final int MESSAGE_END_DEPTH_MIN = 8;

    /// More than any needle takes, however it is escaped, unless somebody fills it with empty
    /// frames.
    private static final int HELD_BYTES_MAX = 1 << 18;

    private final Needles needles;
    private final EchoSearch said;
    private @Nullable EchoSearch aside;
    private ByteBuf held = Unpooled.EMPTY_BUFFER;

    EchoGuard(Needles needles) {
        this.needles = needles;
        this.said = new EchoSearch(needles, 0);
    }

    /// Takes ownership; returns what may be let through now, which may be nothing.
    ///
    /// @param messageEnds as in [#release]
    public ByteBuf pass(ByteBuf piece, boolean messageEnds) throws EchoException {
        look(piece, piece.readerIndex(), piece.readableBytes());
        return release(piece, messageEnds);
    }

    /// The same for what nobody answers in the middle.
    public ByteBuf pass(ByteBuf piece) throws EchoException {
        return pass(piece, false);
    }

    /// Looks at a part of a piece. All of it has to be looked at, in order, or skipped, before the
    /// piece goes to [#release].
    public void look(ByteBuf piece, int from, int length) throws EchoException {
        if (said.finds(piece, from, length)) {
            throw echo(piece);
        }
        if (aside != null) {
            aside.skip(length);
        }
    }

    /// As [#look] at what is said between, and apart from, everything else.
    public void lookAside(ByteBuf piece, int from, int length) throws EchoException {
        EchoSearch search = aside;
        if (search == null) {
            search = new EchoSearch(needles, said.position());
            aside = search;
        }
        if (search.finds(piece, from, length)) {
            throw echo(piece);
        }
        said.skip(length);
    }

    /// Bytes that frame what is said.
    public void skip(int bytes) {
        said.skip(bytes);
        if (aside != null) {
            aside.skip(bytes);
        }
    }

    /// Takes ownership of a piece that was looked at; returns what may be let through now.
    ///
    /// @param messageEnds whether somebody may wait for the last byte before saying anything; few
    ///   bytes of it, which could be the beginning of a secret, are then let out
    public ByteBuf release(ByteBuf piece, boolean messageEnds) throws EchoException {
        int depthMin = messageEnds ? MESSAGE_END_DEPTH_MIN : 1;
        long from = said.suspiciousFrom(depthMin);
        boolean cut = said.isCutTooOften();
        if (aside != null) {
            from = Math.min(from, aside.suspiciousFrom(depthMin));
            cut |= aside.isCutTooOften();
        }
        int here = held.readableBytes() + piece.readableBytes();
        int suspicious = (int) Math.min(said.position() - from, here);
        if (suspicious > HELD_BYTES_MAX || cut) {
            throw echo(piece);
        }
        return suspicious == 0 && !held.isReadable() ? piece : split(piece, suspicious);
    }

    private EchoException echo(ByteBuf piece) {
        piece.release();
        release();
        return new EchoException();
    }

    /// Whether a text of its own, such as a field of the answer's head, has the secret in it.
    public boolean isIn(String text) {
        ByteBuf bytes = Unpooled.wrappedBuffer(text.getBytes(StandardCharsets.ISO_8859_1));
        return new EchoSearch(needles, 0).finds(bytes, 0, bytes.readableBytes());
    }

    private ByteBuf split(ByteBuf piece, int suspicious) {
        int ofPiece = piece.readableBytes() - suspicious;
        if (ofPiece >= 0) {
            ByteBuf clear = Unpooled.wrappedBuffer(held, piece.readRetainedSlice(ofPiece));
            held = suspicious == 0 ? Unpooled.EMPTY_BUFFER : Unpooled.copiedBuffer(piece);
            piece.release();
            return clear;
        }
        held.writeBytes(piece);
        piece.release();
        ByteBuf clear = held.readBytes(held.readableBytes() - suspicious);
        held.discardSomeReadBytes();
        return clear;
    }

    /// The stream has ended: what was held back was not the secret after all.
    public ByteBuf rest() {
        ByteBuf rest = held;
        held = Unpooled.EMPTY_BUFFER;
        return rest;
    }

    public void release() {
        rest().release();
    }
}

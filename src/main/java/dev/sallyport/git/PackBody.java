package dev.sallyport.git;

import dev.sallyport.policy.Refusal;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/// The body of a judged push: the command list as we wrote it, then the pack as it came.
final class PackBody implements BodySource {
    private final PieceQueue pieces;
    private final boolean needsPack;

    PackBody(PushCommands commands, long packBytesMax) throws RefusedException {
        ByteBuf list = commands.serialise();
        this.needsPack = commands.needsPack();
        this.pieces = new PieceQueue(list.readableBytes() + packBytesMax);
        pieces.offer(list);
    }

    @Override
    public void offer(ByteBuf piece) throws RefusedException {
        if (!needsPack && piece.isReadable()) {
            piece.release();
            throw new RefusedException(Refusal.MALFORMED_PUSH, "a push of deletes has no pack");
        }
        pieces.offer(piece);
    }

    @Override
    public void finish() {
        pieces.finish();
    }

    @Override
    public @Nullable ByteBuf poll() {
        return pieces.poll();
    }

    @Override
    public boolean isDone() {
        return pieces.isDone();
    }

    @Override
    public void release() {
        pieces.release();
    }
}

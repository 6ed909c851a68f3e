package dev.sallyport.relay;

import dev.sallyport.policy.Refusal;
import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/// A body that goes upstream as it came, up to a limit. The sandbox is paused while pieces wait
/// here, so few do.
public final class PieceQueue implements BodySource {
    private final Deque<ByteBuf> pieces = new ArrayDeque<>();
    private long remaining;
    private boolean finished;

    public PieceQueue(long bytesMax) {
        this.remaining = bytesMax;
    }

    @Override
    public void offer(ByteBuf piece) throws RefusedException {
        remaining -= piece.readableBytes();
        if (remaining < 0) {
            piece.release();
            throw new RefusedException(Refusal.BODY_TOO_LARGE, "the body is too large");
        }
        pieces.add(piece);
    }

    @Override
    public void finish() {
        finished = true;
    }

    @Override
    public @Nullable ByteBuf poll() {
        return pieces.poll();
    }

    @Override
    public boolean isDone() {
        return finished && pieces.isEmpty();
    }

    @Override
    public void release() {
        pieces.forEach(ByteBuf::release);
        pieces.clear();
    }
}

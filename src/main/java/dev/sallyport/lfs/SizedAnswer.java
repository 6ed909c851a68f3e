package dev.sallyport.lfs;

import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.AnswerFilter;
import dev.sallyport.relay.RefusedException;
import io.netty.buffer.ByteBuf;
import java.util.function.Consumer;

/// Lets exactly as many bytes through as were announced, however the store frames them.
final class SizedAnswer implements AnswerFilter {
    private long bytesLeft;

    void expect(long bytes) {
        bytesLeft = bytes;
    }

    @Override
    public void accept(ByteBuf piece, Consumer<ByteBuf> out) throws RefusedException {
        bytesLeft -= piece.readableBytes();
        if (bytesLeft < 0) {
            piece.release();
            throw new RefusedException(Refusal.UPSTREAM_MISBEHAVED, "more than was announced");
        }
        out.accept(piece);
    }

    @Override
    public void finish() throws RefusedException {
        if (bytesLeft > 0) {
            throw new RefusedException(Refusal.UPSTREAM_MISBEHAVED, "less than was announced");
        }
    }

    @Override
    public void release() {}

    @Override
    public boolean keepsLength() {
        return true;
    }
}

package dev.sallyport.http;

import dev.sallyport.policy.Refusal;
import io.netty.buffer.ByteBuf;

/// Nothing more is read, written or expected.
final class Closed implements ConnectionState {
    @Override
    public boolean wantsInput() {
        return false;
    }

    @Override
    public void begun() {}

    @Override
    public void head(RequestHead head) {}

    @Override
    public void piece(ByteBuf piece) {
        piece.release();
    }

    @Override
    public void bodyEnd() {}

    @Override
    public void refused(Refusal refusal) {}

    @Override
    public void tick() {}

    @Override
    public void writabilityChanged(boolean writable) {}

    @Override
    public void over(Refusal reason) {}
}

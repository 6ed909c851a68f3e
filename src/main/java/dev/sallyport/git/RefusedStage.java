package dev.sallyport.git;

import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.Ask;
import dev.sallyport.relay.Stage;
import io.netty.buffer.ByteBuf;

/// A request that is answered with a refusal and nothing else.
final class RefusedStage implements Stage {
    private final Ask ask;
    private final Refusal reason;
    private boolean gone;

    RefusedStage(Ask ask, Refusal reason) {
        this.ask = ask;
        this.reason = reason;
    }

    @Override
    public void start() {
        if (!gone) {
            ask.refuse(reason);
        }
    }

    @Override
    public void body(ByteBuf piece) {
        piece.release();
    }

    @Override
    public void end() {}

    @Override
    public void abort(Refusal why) {
        gone = true;
    }

    @Override
    public void writabilityChanged(boolean writable) {}
}

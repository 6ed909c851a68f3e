package dev.sallyport.http;

import dev.sallyport.policy.Refusal;
import io.netty.buffer.ByteBuf;

/// For doors that answer on the head alone.
public final class IgnoredBody implements RequestHandler {
    @Override
    public void body(ByteBuf piece) {
        piece.release();
    }

    @Override
    public void end() {}

    @Override
    public void abort(Refusal reason) {}
}

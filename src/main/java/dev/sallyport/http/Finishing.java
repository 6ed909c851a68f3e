package dev.sallyport.http;

import dev.sallyport.policy.Refusal;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;

/// The answer is complete; it has still to leave the gateway, and the rest of the request's body
/// has to be read past. The next request waits for both, so that a sandbox that pipelines without
/// reading never has more than one answer in our memory.
final class Finishing implements ConnectionState {
    /// What is read past before giving up on keeping the connection.
    private static final long DISCARD_BYTES_MAX = 1L << 20;

    private final RequestConnection connection;
    private final boolean keepAlive;
    private final int restSeconds;
    private boolean bodyOver;
    private boolean flushed;
    private long discardable = DISCARD_BYTES_MAX;
    private int secondsLeft;

    /// @param restSeconds how long the next request has to wait, for sandboxes that ask too much
    Finishing(RequestConnection connection, boolean keepAlive, boolean bodyOver, int restSeconds) {
        this.connection = connection;
        this.keepAlive = keepAlive;
        this.bodyOver = bodyOver;
        this.restSeconds = restSeconds;
        this.secondsLeft = connection.terms().limits().bodyIdleSecondsMax();
    }

    void await(ChannelFuture lastWrite) {
        lastWrite.addListener(
                done -> {
                    flushed = true;
                    if (done.isSuccess()) {
                        leaveWhenDone();
                    } else {
                        connection.close();
                    }
                });
    }

    private void leaveWhenDone() {
        if (!flushed || !connection.isIn(this)) {
            return;
        }
        if (!keepAlive || discardable < 0) {
            connection.linger();
        } else if (bodyOver) {
            connection.become(Waiting.forNext(connection, restSeconds));
        }
    }

    @Override
    public boolean wantsInput() {
        return !bodyOver && discardable >= 0;
    }

    @Override
    public void begun() {}

    @Override
    public void head(RequestHead head) {}

    @Override
    public void piece(ByteBuf piece) {
        discardable -= piece.readableBytes();
        piece.release();
        leaveWhenDone();
    }

    @Override
    public void bodyEnd() {
        bodyOver = true;
        leaveWhenDone();
    }

    @Override
    public void refused(Refusal refusal) {
        connection.close();
    }

    @Override
    public void tick() {
        if (--secondsLeft <= 0) {
            connection.close();
        }
    }

    @Override
    public void writabilityChanged(boolean writable) {}

    @Override
    public void over(Refusal reason) {}
}

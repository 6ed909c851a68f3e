package dev.sallyport.http;

import dev.sallyport.policy.Refusal;
import io.netty.buffer.ByteBuf;

/// The last answer is out and our side is shut. What the sandbox still sends is thrown away for a
/// moment: closing with unread bytes would reset the connection and could destroy the answer on its
/// way (RFC 9112, section 9.6).
final class Lingering implements ConnectionState {
    private static final int SECONDS_MAX = 2;

    private final RequestConnection connection;
    private int secondsLeft = SECONDS_MAX;

    Lingering(RequestConnection connection) {
        this.connection = connection;
    }

    @Override
    public boolean wantsInput() {
        return true;
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

package dev.sallyport.http;

import dev.sallyport.policy.Refusal;
import io.netty.buffer.ByteBuf;

/// No request is being served: the connection is new or kept alive, or a head is arriving.
final class Waiting implements ConnectionState {
    private final RequestConnection connection;
    private final boolean kept;
    private int restSeconds;
    private int secondsLeft;
    private boolean begun;

    private Waiting(RequestConnection connection, boolean kept, int restSeconds, int secondsLeft) {
        this.connection = connection;
        this.kept = kept;
        this.restSeconds = restSeconds;
        this.secondsLeft = secondsLeft;
    }

    /// A new connection has to send its head at once.
    static Waiting forFirst(RequestConnection connection) {
        return new Waiting(connection, false, 0, connection.terms().limits().headSecondsMax());
    }

    static Waiting forNext(RequestConnection connection, int restSeconds) {
        int idle = connection.terms().limits().keepAliveSecondsMax();
        return new Waiting(connection, true, restSeconds, restSeconds + idle);
    }

    /// Whether the connection has served a request before.
    boolean isKept() {
        return kept;
    }

    @Override
    public boolean wantsInput() {
        return restSeconds == 0;
    }

    @Override
    public void begun() {
        begun = true;
        Spare.mark(connection.channel(), false);
        secondsLeft = Math.min(secondsLeft, connection.terms().limits().headSecondsMax());
    }

    @Override
    public void head(RequestHead head) {
        InLine.begin(connection, head);
    }

    @Override
    public void refused(Refusal refusal) {
        turnAway(connection, refusal, false, false, 0);
    }

    /// @param headRequest whether the answer has no body, which on a kept connection would be read
    ///   as the next answer
    /// @param restSeconds before the next request is read
    static void turnAway(
            RequestConnection connection,
            Refusal refusal,
            boolean headRequest,
            boolean keepAlive,
            int restSeconds) {
        String id = connection.terms().log().refused(refusal);
        Finishing next = new Finishing(connection, keepAlive, false, restSeconds);
        connection.become(next);
        AnswerWriter writer = new AnswerWriter(connection.channel(), headRequest);
        next.await(writer.refuse(RefusalPage.of(refusal, id), !keepAlive));
    }

    @Override
    public void piece(ByteBuf piece) {
        piece.release();
    }

    @Override
    public void bodyEnd() {}

    @Override
    public void tick() {
        restSeconds = Math.max(0, restSeconds - 1);
        if (--secondsLeft > 0) {
            connection.updateDemand();
        } else if (begun) {
            connection.swallow();
            turnAway(connection, Refusal.REQUEST_TIMEOUT, false, false, 0);
        } else {
            connection.close();
        }
    }

    @Override
    public void writabilityChanged(boolean writable) {}

    @Override
    public void over(Refusal reason) {}
}

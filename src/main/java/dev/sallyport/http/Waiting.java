package dev.sallyport.http;

import dev.sallyport.policy.Refusal;
import io.netty.buffer.ByteBuf;
import java.util.Optional;

/// No request is being served: the connection is new or kept alive, or a head is arriving.
final class Waiting implements ConnectionState {
    private final RequestConnection connection;
    private int restSeconds;
    private int secondsLeft;
    private boolean begun;

    private Waiting(RequestConnection connection, int restSeconds, int secondsLeft) {
        this.connection = connection;
        this.restSeconds = restSeconds;
        this.secondsLeft = secondsLeft;
    }

    /// A new connection has to send its head at once.
    static Waiting forFirst(RequestConnection connection) {
        return new Waiting(connection, 0, connection.terms().limits().headSecondsMax());
    }

    static Waiting forNext(RequestConnection connection, int restSeconds) {
        int idle = connection.terms().limits().keepAliveSecondsMax();
        return new Waiting(connection, restSeconds, restSeconds + idle);
    }

    @Override
    public boolean wantsInput() {
        return restSeconds == 0;
    }

    @Override
    public void begun() {
        begun = true;
        secondsLeft = Math.min(secondsLeft, connection.terms().limits().headSecondsMax());
    }

    @Override
    public void head(RequestHead head) {
        Optional<Refusal> full = connection.terms().quota().enter();
        if (full.isPresent()) {
            turnAway(full.get(), head.isHead(), head.keepAlive() && !head.expectsContinue(), 1);
        } else {
            Serving.begin(connection, head);
        }
    }

    @Override
    public void refused(Refusal refusal) {
        turnAway(refusal, false, false, 0);
    }

    /// @param headRequest whether the answer has no body, which on a kept connection would be read
    ///   as the next answer
    private void turnAway(
            Refusal refusal, boolean headRequest, boolean keepAlive, int restSeconds) {
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
            turnAway(Refusal.REQUEST_TIMEOUT, false, false, 0);
        } else {
            connection.close();
        }
    }

    @Override
    public void writabilityChanged(boolean writable) {}

    @Override
    public void over(Refusal reason) {}
}

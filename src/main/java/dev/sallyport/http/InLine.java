package dev.sallyport.http;

import dev.sallyport.policy.Refusal;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.util.Optional;

/// A request waits for a place, because its sandbox has many others. Nothing more is read from it
/// meanwhile.
final class InLine implements ConnectionState, RequestQuota.Guest {
    private final RequestConnection connection;
    private final RequestHead head;
    private int secondsLeft;

    private InLine(RequestConnection connection, RequestHead head) {
        this.connection = connection;
        this.head = head;
        this.secondsLeft = connection.terms().quota().waitSecondsMax();
    }

    static void begin(RequestConnection connection, RequestHead head) {
        InLine line = new InLine(connection, head);
        connection.become(line);
        connection.terms().quota().enter(line).ifPresent(line::turnAway);
    }

    @Override
    public EventLoop loop() {
        return connection.channel().eventLoop();
    }

    @Override
    public void admitted() {
        if (connection.isIn(this)) {
            Serving.begin(connection, head);
            connection.updateDemand();
        } else {
            connection.terms().quota().leave();
        }
    }

    private void turnAway(Refusal refusal) {
        boolean keepAlive = head.keepAlive() && !head.expectsContinue();
        Waiting.turnAway(connection, refusal, head.isHead(), keepAlive, 1);
    }

    @Override
    public void tick() {
        if (--secondsLeft <= 0) {
            Optional<Refusal> why = connection.terms().quota().giveUp(this);
            why.ifPresent(this::turnAway);
        }
    }

    @Override
    public void over(Refusal reason) {
        var _ = connection.terms().quota().giveUp(this);
    }

    @Override
    public boolean wantsInput() {
        return false;
    }

    @Override
    public void begun() {}

    /// A second head cannot come before the answer.
    @Override
    public void head(RequestHead next) {
        connection.end(Refusal.BAD_REQUEST);
    }

    @Override
    public void piece(ByteBuf piece) {
        piece.release();
    }

    @Override
    public void bodyEnd() {}

    @Override
    public void refused(Refusal refusal) {
        connection.end(refusal);
    }

    @Override
    public void writabilityChanged(boolean writable) {}
}

package dev.sallyport.http;

import dev.sallyport.policy.Refusal;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// A request is with its door: body in, answer out. It holds one place of the sandbox's quota until
/// its answer is complete or the connection over.
final class Serving implements ConnectionState, Responder {
    private final RequestConnection connection;
    private final RequestHead head;
    private final AnswerWriter writer;
    private final BodyPace pace;
    private final StallWatch stall;
    private @Nullable RequestHandler handler;
    private int secondsLeft;
    private boolean bodyOver;
    private boolean paused;
    private boolean proceeded;

    private Serving(RequestConnection connection, RequestHead head) {
        this.connection = connection;
        this.head = head;
        this.writer = new AnswerWriter(connection.channel(), head.isHead());
        this.pace = new BodyPace(connection.terms().limits());
        this.stall = new StallWatch(connection.channel());
        this.secondsLeft = connection.terms().limits().requestSecondsMax();
    }

    /// The caller has entered the quota; this state leaves it.
    static void begin(RequestConnection connection, RequestHead head) {
        Serving serving = new Serving(connection, head);
        connection.become(serving);
        ConnectionTerms terms = connection.terms();
        try {
            serving.handler = terms.door().open(terms.session().get(), head, serving);
        } catch (RuntimeException e) {
            serving.failed(e);
        }
    }

    @Override
    public boolean wantsInput() {
        return !bodyOver && !paused && handler != null;
    }

    @Override
    public void piece(ByteBuf piece) {
        pace.arrived(piece.readableBytes());
        RequestHandler door = handler;
        if (door == null) {
            piece.release();
            return;
        }
        guarded(() -> door.body(piece));
    }

    @Override
    public void bodyEnd() {
        bodyOver = true;
        RequestHandler door = handler;
        if (door != null) {
            guarded(door::end);
        }
    }

    @Override
    public void trailers(Map<String, String> fields) {
        RequestHandler door = handler;
        if (door != null) {
            guarded(() -> door.trailers(fields));
        }
    }

    @Override
    public void tick() {
        boolean waiting = wantsInput() && (!head.expectsContinue() || proceeded);
        boolean slow = waiting && !pace.survivesSecond();
        boolean stuck = stall.seconds() >= connection.terms().limits().bodyIdleSecondsMax();
        if (--secondsLeft <= 0 || slow || stuck) {
            connection.end(Refusal.REQUEST_TIMEOUT);
        }
    }

    @Override
    public void writabilityChanged(boolean writable) {
        RequestHandler door = handler;
        if (door != null) {
            guarded(() -> door.writabilityChanged(writable));
        }
    }

    /// Broken framing ends the connection by itself; a second head cannot come before the answer.
    @Override
    public void begun() {}

    @Override
    public void head(RequestHead next) {
        connection.end(Refusal.BAD_REQUEST);
    }

    @Override
    public void refused(Refusal refusal) {
        connection.end(refusal);
    }

    @Override
    public void over(Refusal reason) {
        if (writer.isDone()) {
            return;
        }
        writer.abandon();
        connection.terms().quota().leave();
        abort(reason);
    }

    private void guarded(Runnable call) {
        try {
            call.run();
        } catch (RuntimeException e) {
            failed(e);
        }
    }

    /// A door that fails has had its say: it is told to stop and hears nothing more.
    private void failed(RuntimeException e) {
        connection.report(e);
        if (writer.isOwed()) {
            abort(Refusal.INTERNAL);
            refuse(Refusal.INTERNAL, connection.terms().log().refused(Refusal.INTERNAL));
        } else {
            connection.end(Refusal.INTERNAL);
        }
    }

    private void abort(Refusal reason) {
        RequestHandler door = handler;
        handler = null;
        if (door == null) {
            return;
        }
        try {
            door.abort(reason);
        } catch (RuntimeException e) {
            connection.report(e);
        }
    }

    @Override
    public EventLoop loop() {
        return connection.channel().eventLoop();
    }

    @Override
    public void proceed() {
        if (head.expectsContinue() && !proceeded && writer.isOwed()) {
            proceeded = true;
            writer.proceed();
        }
    }

    @Override
    public void pauseBody() {
        paused = true;
        connection.updateDemand();
    }

    @Override
    public void resumeBody() {
        paused = false;
        connection.updateDemand();
    }

    @Override
    public boolean isWritable() {
        return connection.channel().isWritable();
    }

    @Override
    public void start(int status, Map<String, String> fields, OptionalLong length) {
        if (!writer.isOwed()) {
            return;
        }
        try {
            writer.start(status, fields, length, !keepsAlive());
        } catch (IllegalArgumentException e) {
            connection.report(e);
            cut();
        }
    }

    @Override
    public void write(ByteBuf piece) {
        if (!writer.write(piece)) {
            cut();
        }
    }

    @Override
    public void end() {
        if (writer.isDone()) {
            return;
        }
        if (writer.isWhole()) {
            Finishing next = leave();
            next.await(writer.end());
        } else {
            cut();
        }
    }

    @Override
    public void refuse(Refusal refusal, String id, OptionalLong retrySeconds) {
        if (writer.isOwed()) {
            boolean close = !keepsAlive();
            Finishing next = leave();
            next.await(writer.refuse(RefusalPage.of(refusal, id, retrySeconds), close));
        } else {
            cut();
        }
    }

    @Override
    public void takeOver(int status, Map<String, String> fields, Successor successor) {
        if (writer.isDone()) {
            return;
        }
        if (!writer.isOwed() || !(head.framing() instanceof BodyFraming.None)) {
            cut();
            return;
        }
        try {
            writer.leave(status, fields);
        } catch (IllegalArgumentException e) {
            connection.report(e);
            cut();
            return;
        }
        handler = null;
        connection.terms().quota().leave();
        connection.handOver(successor);
    }

    @Override
    public void cut() {
        if (!writer.isDone()) {
            writer.abandon();
            connection.terms().quota().leave();
            connection.close();
        }
    }

    private Finishing leave() {
        connection.terms().quota().leave();
        Finishing next = new Finishing(connection, keepsAlive(), bodyOver, 0);
        connection.become(next);
        return next;
    }

    /// A client that was never told to continue may or may not send its body, so what follows on
    /// this connection could be either (RFC 9110, section 10.1.1).
    private boolean keepsAlive() {
        boolean unclear = head.expectsContinue() && !proceeded && !bodyOver;
        return head.keepAlive() && !unclear;
    }
}

package dev.sallyport.http;

import dev.sallyport.policy.Refusal;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http2.Http2Error;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// A request of an HTTP/2 stream is with its door: body in, answer out; [Serving] for HTTP/2. It
/// holds one place of the sandbox's quota until its answer is complete or the stream over.
final class Http2Exchange implements Responder {
    private static final Logger LOG = System.getLogger(Http2Exchange.class.getName());

    private final Http2Request request;
    private final RequestHead head;
    private final Http2Answer answer;
    private final BodyPace pace;
    private final StallWatch stall;
    private @Nullable RequestHandler handler;
    private int secondsLeft;
    private boolean bodyOver;
    private boolean paused;
    private boolean proceeded;

    private Http2Exchange(Http2Request request, RequestHead head) {
        this.request = request;
        this.head = head;
        this.answer = new Http2Answer(request.channel(), head.isHead());
        this.pace = new BodyPace(request.terms().limits());
        this.stall = new StallWatch(request.channel());
        this.secondsLeft = request.terms().limits().requestSecondsMax();
    }

    /// The caller has entered the quota; this leaves it.
    static Http2Exchange begin(Http2Request request, RequestHead head) {
        Http2Exchange exchange = new Http2Exchange(request, head);
        ConnectionTerms terms = request.terms();
        try {
            exchange.handler = terms.door().open(terms.session().get(), head, exchange);
        } catch (RuntimeException e) {
            exchange.failed(e);
        }
        return exchange;
    }

    boolean isOver() {
        return answer.isDone();
    }

    boolean wantsInput() {
        return !paused && handler != null;
    }

    void piece(ByteBuf piece) {
        pace.arrived(piece.readableBytes());
        RequestHandler door = handler;
        if (door == null) {
            piece.release();
            return;
        }
        guarded(() -> door.body(piece));
    }

    void bodyEnd() {
        bodyOver = true;
        RequestHandler door = handler;
        if (door != null && !isOver()) {
            guarded(door::end);
        }
    }

    void trailers(Map<String, String> fields) {
        RequestHandler door = handler;
        if (door != null) {
            guarded(() -> door.trailers(fields));
        }
    }

    void tick() {
        boolean waiting = !bodyOver && wantsInput() && (!head.expectsContinue() || proceeded);
        boolean slow = waiting && !pace.survivesSecond();
        boolean stuck = stall.seconds() >= request.terms().limits().bodyIdleSecondsMax();
        if (--secondsLeft <= 0 || slow || stuck) {
            request.end(Refusal.REQUEST_TIMEOUT, Http2Error.CANCEL);
        }
    }

    void writabilityChanged(boolean writable) {
        RequestHandler door = handler;
        if (door != null) {
            guarded(() -> door.writabilityChanged(writable));
        }
    }

    /// The stream is over, whatever was going on.
    void over(Refusal reason) {
        if (!answer.isDone()) {
            answer.abandon();
            request.terms().quota().leave();
            abort(reason);
        }
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
        report(e);
        if (answer.isOwed()) {
            abort(Refusal.INTERNAL);
            refuse(Refusal.INTERNAL, request.terms().log().refused(Refusal.INTERNAL));
        } else {
            request.end(Refusal.INTERNAL, Http2Error.INTERNAL_ERROR);
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
            report(e);
        }
    }

    private static void report(Throwable fault) {
        LOG.log(Level.ERROR, "a request failed inside the gateway", fault);
    }

    @Override
    public EventLoop loop() {
        return request.channel().eventLoop();
    }

    @Override
    public void proceed() {
        if (head.expectsContinue() && !proceeded && answer.isOwed()) {
            proceeded = true;
            answer.proceed();
        }
    }

    @Override
    public void pauseBody() {
        paused = true;
    }

    @Override
    public void resumeBody() {
        paused = false;
        request.updateDemand();
    }

    @Override
    public boolean isWritable() {
        return request.channel().isWritable();
    }

    @Override
    public void start(int status, Map<String, String> fields, OptionalLong length) {
        if (!answer.isOwed()) {
            return;
        }
        try {
            answer.start(status, fields, length);
        } catch (IllegalArgumentException e) {
            report(e);
            cut();
        }
    }

    @Override
    public void write(ByteBuf piece) {
        if (!answer.write(piece)) {
            cut();
        }
    }

    @Override
    public void end() {
        if (answer.isDone()) {
            return;
        }
        if (answer.isWhole()) {
            request.terms().quota().leave();
            request.answered(answer.end(), isBodyExpected());
        } else {
            cut();
        }
    }

    @Override
    public void refuse(Refusal refusal, String id, OptionalLong retrySeconds) {
        if (answer.isOwed()) {
            request.terms().quota().leave();
            request.answered(
                    answer.refuse(RefusalPage.of(refusal, id, retrySeconds)), isBodyExpected());
        } else {
            cut();
        }
    }

    /// A client that was never told to continue may never send its body.
    private boolean isBodyExpected() {
        return !head.expectsContinue() || proceeded;
    }

    /// A stream cannot leave HTTP: what is asked for as an upgrade is HTTP/1.1's.
    @Override
    public void takeOver(int status, Map<String, String> fields, Successor successor) {
        cut();
    }

    @Override
    public void cut() {
        if (!answer.isDone()) {
            answer.abandon();
            request.terms().quota().leave();
            request.reset(Http2Error.INTERNAL_ERROR);
        }
    }
}

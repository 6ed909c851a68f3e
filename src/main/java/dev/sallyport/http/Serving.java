package dev.sallyport.http;

import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.Remedy;
import dev.sallyport.session.LiveSession;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// A request is with its door: body in, answer out. The answer is kept well-framed: a sized one
/// carries exactly its length, and each ends once.
final class Serving implements Exchange.State, Responder {
    private static final Logger LOG = System.getLogger(Serving.class.getName());

    /// What the answer is allowed to look like so far.
    private enum Phase {
        OWED,
        BODY,
        /// HEAD, 204, 304: the head is all there is.
        HEAD_ONLY
    }

    private final Exchange exchange;
    private final HttpWire wire;
    private final ConnectionTerms terms;
    private final RequestHead head;
    private final BodyPace pace;
    private @Nullable RequestHandler handler;
    private Phase phase = Phase.OWED;
    private long bytesLeft;
    private boolean sized;
    private boolean paused;
    private boolean flushDue;
    private int secondsLeft;
    private int stuckSeconds;
    private long surplusBefore;

    Serving(Exchange exchange, HttpWire wire, ConnectionTerms terms, RequestHead head) {
        this.exchange = exchange;
        this.wire = wire;
        this.terms = terms;
        this.head = head;
        this.pace = new BodyPace(terms.limits());
        this.secondsLeft = terms.limits().requestSecondsMax();
    }

    void open() {
        try {
            RequestHandler opened = terms.door().open(terms.session().get(), head, this);
            if (isCurrent()) {
                handler = opened;
            }
        } catch (RuntimeException e) {
            failed(e);
        }
    }

    private boolean isCurrent() {
        return exchange.isIn(this);
    }

    private boolean isOwed() {
        return phase == Phase.OWED && isCurrent();
    }

    @Override
    public boolean wantsInput() {
        return !paused && handler != null;
    }

    @Override
    public void piece(ByteBuf piece) {
        pace.arrived(piece.readableBytes());
        RequestHandler door = handler;
        if (door == null) {
            piece.release();
            return;
        }
        try {
            door.body(piece);
        } catch (RuntimeException e) {
            failed(e);
        }
    }

    @Override
    public void trailers(Map<String, String> fields) {
        guarded(door -> door.trailers(fields));
    }

    @Override
    public void bodyEnd() {
        guarded(RequestHandler::end);
    }

    @Override
    public void writabilityChanged(boolean writable) {
        guarded(door -> door.writabilityChanged(writable));
    }

    @Override
    public void tick() {
        // While an answer flows, the other direction may rest: they can be a dialogue.
        boolean waiting = phase == Phase.OWED && exchange.wantsInput() && !exchange.isUnclear();
        boolean slow = waiting && !pace.survivesSecond();
        if (--secondsLeft <= 0 || slow || isStuck()) {
            exchange.fail(Refusal.REQUEST_TIMEOUT);
        }
    }

    /// Whether the sandbox takes nothing of an answer that is waiting for it.
    private boolean isStuck() {
        long surplus = wire.channel().bytesBeforeWritable();
        boolean stuck = !isWritable() && surplus == surplusBefore;
        surplusBefore = surplus;
        stuckSeconds = stuck ? stuckSeconds + 1 : 0;
        return stuckSeconds >= terms.limits().bodyIdleSecondsMax();
    }

    @Override
    public void over(Refusal reason) {
        abort(reason);
    }

    private interface Call {
        void on(RequestHandler door);
    }

    private void guarded(Call call) {
        RequestHandler door = handler;
        if (door == null) {
            return;
        }
        try {
            call.on(door);
        } catch (RuntimeException e) {
            failed(e);
        }
    }

    /// A door that fails has had its say: it is told to stop and hears nothing more.
    private void failed(RuntimeException e) {
        report(e);
        if (isOwed()) {
            abort(Refusal.INTERNAL);
            refuse(Refusal.INTERNAL, terms.log().refused(Refusal.INTERNAL));
        } else if (isCurrent()) {
            exchange.fail(Refusal.INTERNAL);
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

    private static void report(RuntimeException fault) {
        LOG.log(Level.ERROR, "a request failed inside the gateway", fault);
    }

    @Override
    public EventLoop loop() {
        return wire.channel().eventLoop();
    }

    @Override
    public LiveSession session() {
        return terms.session().get();
    }

    @Override
    public boolean isHttp2() {
        return wire.isHttp2();
    }

    @Override
    public void proceed() {
        if (isOwed()) {
            exchange.proceed();
        }
    }

    @Override
    public void pauseBody() {
        pause(true);
    }

    @Override
    public void resumeBody() {
        pause(false);
    }

    private void pause(boolean pause) {
        paused = pause;
        if (isCurrent()) {
            wire.updateDemand();
        }
    }

    @Override
    public boolean isWritable() {
        return wire.channel().isWritable();
    }

    @Override
    public void start(int status, Map<String, String> fields, OptionalLong length) {
        if (!isOwed()) {
            return;
        }
        try {
            boolean body = exchange.writeHead(status, fields, length);
            phase = body ? Phase.BODY : Phase.HEAD_ONLY;
            sized = length.isPresent();
            bytesLeft = length.orElse(0);
            flushSoon();
        } catch (IllegalArgumentException e) {
            report(e);
            cut();
        }
    }

    @Override
    public void write(ByteBuf piece) {
        int bytes = piece.readableBytes();
        boolean fits = !sized || bytes <= bytesLeft;
        if (bytes == 0 || phase != Phase.BODY || !fits || !isCurrent()) {
            piece.release();
            if (phase == Phase.BODY && !fits) {
                cut();
            }
            return;
        }
        bytesLeft -= bytes;
        wire.writeBody(piece);
        flushSoon();
    }

    /// Once for all that is written in one turn of the loop, or as soon as it is much.
    private void flushSoon() {
        if (!isWritable()) {
            wire.flush();
        } else if (!flushDue) {
            flushDue = true;
            loop().execute(this::flush);
        }
    }

    private void flush() {
        flushDue = false;
        if (isCurrent()) {
            wire.flush();
        }
    }

    @Override
    public void end(Map<String, String> trailers) {
        boolean whole = phase == Phase.HEAD_ONLY || !sized || bytesLeft == 0;
        if (phase == Phase.OWED || !whole) {
            cut();
        } else if (isCurrent()) {
            handler = null;
            complete(trailers);
        }
    }

    private void complete(Map<String, String> trailers) {
        try {
            exchange.complete(trailers);
        } catch (IllegalArgumentException e) {
            report(e);
            cut();
        }
    }

    @Override
    public void refuse(
            Refusal refusal,
            String id,
            OptionalLong retrySeconds,
            String rule,
            Optional<Remedy> remedy) {
        if (isOwed()) {
            handler = null;
            exchange.answer(RefusalPage.of(refusal, id, retrySeconds, rule, remedy));
        } else {
            cut();
        }
    }

    @Override
    public void takeOver(int status, Map<String, String> fields, Successor successor) {
        if (!isOwed() || !(head.framing() instanceof BodyFraming.None)) {
            cut();
            return;
        }
        try {
            exchange.writeLeave(status, fields);
        } catch (IllegalArgumentException | UnsupportedOperationException e) {
            report(e);
            cut();
            return;
        }
        handler = null;
        exchange.handOver(successor);
    }

    @Override
    public void cut() {
        if (isCurrent()) {
            handler = null;
            exchange.cut();
        }
    }
}

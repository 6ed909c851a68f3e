package dev.sallyport.http;

import dev.sallyport.policy.Refusal;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.EventLoop;
import java.util.Map;
import java.util.OptionalLong;

/// One request and its one answer, whichever wire carries them. Exactly one state is current; each
/// transition is a method of the state that is left.
///
/// ```
///         place             answer complete             flushed, body over
/// InLine ───────▶ Serving ─────────────────▶ Answered ─────────────────────▶ Over
///    │ too long, or no room in line             ▲  │ last on this wire, or too much left
///    └──────────────────────────────────────────┘  └─────────────────────────▶ Over
/// Serving ── taken over ── out of HTTP, see [Successor]
/// any ── ambiguous framing, time out, cut, sandbox gone ─────────────────────▶ Over
/// ```
final class Exchange {
    /// What of a body is read past after the answer.
    private static final long DISCARD_BYTES_MAX = 1L << 20;

    private static final State OVER = new Over();

    /// Whoever is in a state hears what arrives; buffers are its to release.
    sealed interface State permits InLine, Serving, Answered, Over {
        /// Whether more of the request is wanted now, if there is more.
        default boolean wantsInput() {
            return false;
        }

        default void piece(ByteBuf piece) {
            piece.release();
        }

        /// Fields came after the body; its end follows.
        default void trailers(Map<String, String> fields) {}

        default void bodyEnd() {}

        default void writabilityChanged(boolean writable) {}

        /// A second has passed. Time is counted in ticks that follow each other, so a gateway that
        /// was itself held up does not blame the sandbox.
        default void tick() {}

        /// The wire has ended; another state is current already.
        default void over(Refusal reason) {}
    }

    private final HttpWire wire;
    private final ConnectionTerms terms;
    private final boolean headRequest;
    private State state = OVER;
    private boolean bodyOver;

    /// Whether it has a place of the quota.
    private boolean placed;

    private long placedNanos;

    /// Whether nothing follows the answer on this wire.
    private boolean last;

    /// A client that waits for `100 Continue` and was not told may or may not send its body, so
    /// what follows on this wire could be either (RFC 9110, section 10.1.1).
    private boolean unclear;

    /// @param headRequest whether the answer has no body, which would be read as the next answer
    /// @param last whether the wire cannot carry another request after this one
    Exchange(HttpWire wire, ConnectionTerms terms, boolean headRequest, boolean last) {
        this.wire = wire;
        this.terms = terms;
        this.headRequest = headRequest;
        this.last = last;
    }

    static Exchange of(HttpWire wire, ConnectionTerms terms, RequestHead head) {
        Exchange exchange = new Exchange(wire, terms, head.isHead(), !head.keepAlive());
        exchange.unclear = head.expectsContinue() && !(head.framing() instanceof BodyFraming.None);
        return exchange;
    }

    /// Asks for a place, and opens the door as soon as there is one.
    void begin(RequestHead head) {
        InLine line = new InLine(head);
        state = line;
        terms.quota().enter(line).ifPresent(line::turnAway);
    }

    /// Refuses what no door sees.
    void turnAway(Refusal refusal) {
        answer(RefusalPage.of(refusal, terms.log().refused(refusal)));
    }

    boolean wantsInput() {
        return !bodyOver && state.wantsInput();
    }

    void piece(ByteBuf piece) {
        state.piece(piece);
    }

    void trailers(Map<String, String> fields) {
        state.trailers(fields);
    }

    void bodyEnd() {
        bodyOver = true;
        unclear = false;
        state.bodyEnd();
    }

    void writabilityChanged(boolean writable) {
        state.writabilityChanged(writable);
    }

    void tick() {
        state.tick();
    }

    /// The wire has ended; a door that has the request is told why.
    void over(Refusal reason) {
        State left = state;
        become(OVER);
        left.over(reason);
    }

    /// What arrived can be read in two ways. A request that is with its door is cut, and the door
    /// records that under the request's id; otherwise it is recorded here.
    ///
    /// @return why the wire ends
    Refusal ambiguity() {
        return state instanceof Serving ? Refusal.MALFORMED_BODY : terms.log().ambiguous();
    }

    void fail(Refusal reason) {
        over(reason);
        cut(reason);
    }

    /// What was answered so far reaches the client.
    private void cut(Refusal reason) {
        wire.flush();
        wire.cut(reason);
    }

    boolean isIn(State other) {
        return state == other;
    }

    /// The place of the quota belongs to the request while it is with its door, and while its
    /// answer is in our memory: streams of HTTP/2 whose client takes nothing are many.
    private void become(State next) {
        state = next;
        if (!(next instanceof Serving || next instanceof Answered)) {
            leavePlace();
        }
    }

    private void leavePlace() {
        if (placed) {
            placed = false;
            terms.quota().took(System.nanoTime() - placedNanos);
            terms.quota().leave();
        }
    }

    boolean isAnswered() {
        return state instanceof Answered || state instanceof Over;
    }

    boolean isUnclear() {
        return unclear;
    }

    void proceed() {
        if (unclear) {
            unclear = false;
            wire.writeContinue();
        }
    }

    /// @return whether the body belongs to the answer; otherwise the head is all there is
    /// @throws IllegalArgumentException when a field cannot be written; nothing has been then
    boolean writeHead(int status, Map<String, String> fields, OptionalLong length) {
        fields.forEach(AnswerFields::requireWritable);
        boolean bodiless = status == 204 || status == 304;
        BodyFraming framing =
                bodiless
                        ? new BodyFraming.None()
                        : length.isPresent()
                                ? new BodyFraming.Sized(length.getAsLong())
                                : new BodyFraming.Chunked();
        last |= unclear;
        boolean bodyFollows = !bodiless && !headRequest;
        wire.writeHead(status, fields, framing, bodyFollows, last);
        return bodyFollows;
    }

    void answer(RefusalPage page) {
        ByteBuf text = ByteBufUtil.writeUtf8(wire.channel().alloc(), page.text());
        if (writeHead(page.status(), page.fields(), OptionalLong.of(text.readableBytes()))) {
            wire.writeBody(text);
        } else {
            text.release();
        }
        complete(Map.of());
    }

    /// Everything of the answer was written but its end.
    ///
    /// @throws IllegalArgumentException when a field cannot be written; nothing has been then
    void complete(Map<String, String> trailers) {
        trailers.forEach(AnswerFields::requireWritable);
        Answered next = new Answered();
        become(next);
        var _ = wire.writeEnd(trailers).addListener(next);
        wire.updateDemand();
    }

    /// The door cuts its own answer, and is not told.
    void cut() {
        become(OVER);
        cut(Refusal.INTERNAL);
    }

    /// @throws IllegalArgumentException when a field cannot be written; nothing has been then
    void writeLeave(int status, Map<String, String> fields) {
        AnswerFields.requireLeaving(status, fields);
        wire.writeLeave(status, fields);
    }

    void handOver(Successor successor) {
        become(OVER);
        wire.handOver(successor);
    }

    /// The request waits for a place, because its sandbox has many others. Nothing more is read
    /// from it meanwhile.
    private final class InLine implements State, RequestQuota.Guest {
        private final RequestHead head;
        private int secondsLeft = terms.quota().waitSecondsMax();

        InLine(RequestHead head) {
            this.head = head;
        }

        @Override
        public EventLoop loop() {
            return wire.channel().eventLoop();
        }

        @Override
        public void admitted() {
            if (!isIn(this)) {
                terms.quota().leave();
                return;
            }
            Serving next = new Serving(Exchange.this, wire, terms, head);
            placed = true;
            placedNanos = System.nanoTime();
            become(next);
            next.open();
            wire.updateDemand();
        }

        @Override
        public void tick() {
            if (--secondsLeft <= 0) {
                terms.quota().giveUp(this).ifPresent(this::turnAway);
            }
        }

        private void turnAway(Refusal refusal) {
            wire.rest();
            Exchange.this.turnAway(refusal);
        }

        @Override
        public void over(Refusal reason) {
            var _ = terms.quota().giveUp(this);
        }
    }

    /// The answer is complete; it has still to leave the gateway, and the rest of the request's
    /// body has to be read past. The next request waits for both, so that a sandbox that pipelines
    /// without reading never has more than one answer in our memory.
    private final class Answered implements State, ChannelFutureListener {
        private long discardable = DISCARD_BYTES_MAX;
        private int secondsLeft = terms.limits().bodyIdleSecondsMax();
        private boolean flushed;

        @Override
        public void operationComplete(ChannelFuture lastWrite) {
            leavePlace();
            flushed = lastWrite.isSuccess();
            if (flushed) {
                leaveWhenDone();
            } else if (isIn(this)) {
                fail(Refusal.SESSION_ENDED);
            }
        }

        private void leaveWhenDone() {
            if (!flushed || !isIn(this)) {
                return;
            }
            if (last || discardable < 0) {
                become(OVER);
                wire.stop();
            } else if (bodyOver) {
                become(OVER);
                wire.done();
            }
        }

        @Override
        public boolean wantsInput() {
            return discardable >= 0;
        }

        @Override
        public void piece(ByteBuf piece) {
            discardable -= piece.readableBytes();
            piece.release();
            leaveWhenDone();
        }

        @Override
        public void bodyEnd() {
            leaveWhenDone();
        }

        @Override
        public void tick() {
            if (--secondsLeft > 0) {
                return;
            }
            discardable = -1;
            leaveWhenDone();
            if (isIn(this)) {
                fail(Refusal.REQUEST_TIMEOUT);
            }
        }
    }

    /// Nothing more is read, written or expected.
    static final class Over implements State {}
}

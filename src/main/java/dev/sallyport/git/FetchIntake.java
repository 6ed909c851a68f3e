package dev.sallyport.git;

import dev.sallyport.http.BodyFraming;
import dev.sallyport.policy.GitPermit;
import dev.sallyport.policy.ObjectName;
import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.AnswerFilter;
import dev.sallyport.relay.Ask;
import dev.sallyport.relay.BodySource;
import dev.sallyport.relay.JudgeQueue;
import dev.sallyport.relay.PieceQueue;
import dev.sallyport.relay.RefusedException;
import dev.sallyport.relay.Relay;
import dev.sallyport.relay.Stage;
import dev.sallyport.upstream.Failure;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A fetch that the local copy may answer, or one by a session that sees only some refs: what that
/// wants must be reachable from one of them.
///
/// ```
/// READING --end of body--> CHECKING --all reachable--> COPYING --copy cannot--> RELAYING --> OVER
///    |                         +------otherwise: told as "not our ref"---------------------> OVER
///    +--sees all refs: COPYING, or RELAYING when there is nothing to copy from
/// ```
final class FetchIntake implements Stage {
    private enum State {
        READING,
        CHECKING,
        COPYING,
        RELAYING,
        OVER
    }

    /// What is larger is relayed without being read; it is parsed on the event loop.
    private static final int COPY_BODY_BYTES_MAX = 256 << 10;

    private final Surroundings surroundings;
    private final PushJudging judging;
    private final Ask ask;
    private final GitPermit permit;
    private final BodySource source;
    private final Optional<String> version;
    private final FetchAnswer answer;
    private final ByteBuf body = Unpooled.buffer();
    private State state = State.READING;
    private JudgeQueue.@Nullable Turn turn;
    private @Nullable Relay relay;
    private @Nullable CopyAnswer copying;
    private int roomTaken;

    /// @param source inflates when the body is compressed
    /// @param version of the protocol, as upstream is asked for it
    /// @param filter for the answer
    FetchIntake(
            Surroundings surroundings,
            PushJudging judging,
            Ask ask,
            GitPermit permit,
            BodySource source,
            Optional<String> version,
            Supplier<AnswerFilter> filter) {
        this.surroundings = surroundings;
        this.judging = judging;
        this.ask = ask;
        this.permit = permit;
        this.source = source;
        this.version = version;
        this.answer = new FetchAnswer(surroundings.audit(), ask, permit, judging.pace(), filter);
    }

    @Override
    public void start() {
        if (state == State.READING) {
            ask.responder().proceed();
            ask.responder().resumeBody();
        }
    }

    @Override
    public void body(ByteBuf piece) {
        if (state == State.RELAYING && relay != null) {
            relay.body(piece);
            return;
        }
        if (state != State.READING) {
            piece.release();
            return;
        }
        try {
            source.offer(piece);
            take();
        } catch (RefusedException e) {
            refuse(e.refusal());
        }
    }

    private void take() throws RefusedException {
        ByteBuf next;
        while (state == State.READING && (next = source.poll()) != null) {
            try {
                boolean room = judging.requests().take(permit.session(), next.readableBytes());
                if (!room && !seesAll()) {
                    throw new RefusedException(Refusal.GATEWAY_BUSY, "there is no room for more");
                }
                roomTaken += room ? next.readableBytes() : 0;
                body.writeBytes(next);
                if (seesAll() && (!room || !isWorthReading())) {
                    relayRest();
                }
            } finally {
                next.release();
            }
        }
    }

    /// The length of no line that begins a fetch has more than two digits.
    private boolean isWorthReading() {
        return body.readableBytes() <= COPY_BODY_BYTES_MAX && body.getByte(0) == '0';
    }

    private boolean seesAll() {
        return permit.visible().isAll();
    }

    @Override
    public void end() {
        if (state == State.RELAYING && relay != null) {
            relay.end();
        }
        if (state != State.READING) {
            return;
        }
        try {
            source.finish();
            take();
            if (state != State.READING) {
                end();
            } else if (seesAll()) {
                copy();
            } else {
                check();
            }
        } catch (RefusedException e) {
            refuse(e.refusal());
        }
    }

    private void check() throws RefusedException {
        FetchRequest request = FetchRequest.parse(body.retainedDuplicate(), permit.visible());
        state = State.CHECKING;
        turn =
                judging.submit(
                        permit,
                        ask.session().credentials(),
                        request,
                        answer.waits(request).copying(permit.repo()),
                        result -> ask.responder().loop().execute(() -> checked(result)));
    }

    /// A request that is not understood here is upstream's to answer or to refuse.
    private void copy() {
        byte[] bytes = FetchRequest.bytes(body.retainedDuplicate());
        boolean current = version.filter("version=2"::equals).isPresent();
        CopyAnswer.Question question;
        try {
            question =
                    current
                            ? new CopyAnswer.Question(
                                    FetchCommand.parse(bytes),
                                    seen -> FetchCommand.rewrite(bytes, seen),
                                    2,
                                    bytes.length)
                            : question(bytes);
        } catch (RefusedException _) {
            relay(body.retainedDuplicate());
            return;
        }
        copyOr(question, body.retainedDuplicate());
    }

    private CopyAnswer.Question question(byte[] bytes) throws RefusedException {
        return new CopyAnswer.Question(
                FetchRequest.parse(Unpooled.wrappedBuffer(bytes), permit.visible()),
                seen ->
                        FetchRequest.bytes(
                                FetchRequest.rewrite(
                                        Unpooled.wrappedBuffer(bytes), permit.visible(), seen)),
                0,
                bytes.length);
    }

    /// @param relayed what upstream gets when the copy does not answer; taken over
    private void copyOr(CopyAnswer.Question question, ByteBuf relayed) {
        boolean small = question.bytes() <= COPY_BODY_BYTES_MAX;
        if (!small || !judging.copies().serves(permit, question.request())) {
            relay(relayed);
            return;
        }
        state = State.COPYING;
        byte[] kept = FetchRequest.bytes(relayed);
        release();
        copying =
                new CopyAnswer(
                        judging.copies(),
                        surroundings,
                        ask,
                        permit,
                        question,
                        answer,
                        () -> carry(Unpooled.wrappedBuffer(kept)));
        copying.start();
    }

    /// The body is not one to be read here, so the rest of it passes as it comes.
    private void relayRest() {
        state = State.RELAYING;
        ByteBuf first = body.retainedDuplicate();
        giveBack();
        relay = carrier(framingAsSent(), new Rest(first, source));
        relay.start();
    }

    private BodyFraming framingAsSent() {
        return CallForm.isGzip(ask.head()) ? new BodyFraming.Chunked() : ask.head().framing();
    }

    /// What was read already, then the rest as it comes.
    private static final class Rest implements BodySource {
        private @Nullable ByteBuf first;
        private final BodySource rest;

        Rest(ByteBuf first, BodySource rest) {
            this.first = first;
            this.rest = rest;
        }

        @Override
        public void offer(ByteBuf piece) throws RefusedException {
            rest.offer(piece);
        }

        @Override
        public void finish() throws RefusedException {
            rest.finish();
        }

        @Override
        public @Nullable ByteBuf poll() throws RefusedException {
            ByteBuf next = first;
            first = null;
            return next == null ? rest.poll() : next;
        }

        @Override
        public boolean isDone() {
            return first == null && rest.isDone();
        }

        @Override
        public void release() {
            if (first != null) {
                first.release();
                first = null;
            }
            rest.release();
        }
    }

    private void checked(Wants result) {
        if (state == State.OVER) {
            return;
        }
        switch (result) {
            case Wants.Reachable(Set<ObjectName> seen) -> {
                try {
                    copyOr(
                            question(FetchRequest.bytes(body.retainedDuplicate())),
                            FetchRequest.rewrite(body.retainedDuplicate(), permit.visible(), seen));
                } catch (RefusedException e) {
                    refuse(e.refusal());
                }
            }
            case Wants.Unknown(ObjectName id) -> {
                close();
                answer.notOurs(id);
            }
            case Wants.NotChecked(Failure failure) -> refuse(failure);
        }
    }

    private void relay(ByteBuf whole) {
        release();
        carry(whole);
    }

    private void carry(ByteBuf whole) {
        state = State.RELAYING;
        // Its lists of ids are of no more use, and a relay may take hours.
        copying = null;
        answer.relays();
        Relay carrier =
                carrier(
                        seesAll() ? framingAsSent() : new BodyFraming.Sized(whole.readableBytes()),
                        new PieceQueue(whole.readableBytes()));
        relay = carrier;
        carrier.body(whole);
        carrier.end();
        carrier.start();
    }

    private Relay carrier(BodyFraming framing, BodySource from) {
        return surroundings.relay(
                ask, GitWire.call(permit, framing, version), from, answer.filter(), answer);
    }

    private void refuse(Refusal reason) {
        refuse(Failure.of(reason));
    }

    private void refuse(Failure failure) {
        close();
        answer.failed(failure);
        answer.refuse(failure);
    }

    private void close() {
        state = State.OVER;
        release();
    }

    private void release() {
        source.release();
        giveBack();
    }

    private void giveBack() {
        judging.requests().giveBack(permit.session(), roomTaken);
        body.release();
    }

    @Override
    public void unrecorded(Ask asked, Refusal reason) {
        abort(reason);
        answer.refuse(Failure.of(reason));
    }

    @Override
    public void abort(Refusal reason) {
        if (state == State.READING || state == State.CHECKING) {
            answer.failed(Failure.of(reason));
        }
        switch (state) {
            case READING -> close();
            case CHECKING -> {
                close();
                if (turn != null) {
                    turn.cancel();
                }
            }
            case COPYING -> {
                state = State.OVER;
                if (copying != null) {
                    copying.abort(reason);
                }
            }
            case RELAYING -> {
                state = State.OVER;
                if (relay != null) {
                    relay.abort(reason);
                }
            }
            case OVER -> {}
        }
    }

    @Override
    public void writabilityChanged(boolean writable) {
        if (relay != null) {
            relay.writabilityChanged(writable);
        } else if (copying != null && writable) {
            copying.drain();
        }
    }
}

package dev.sallyport.git;

import dev.sallyport.http.BodyFraming;
import dev.sallyport.policy.GitPermit;
import dev.sallyport.policy.ObjectName;
import dev.sallyport.policy.Refusal;
import dev.sallyport.upstream.Failure;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A fetch by a session that sees only some refs: what it wants must be reachable from one of them.
///
/// ```
/// READING --end of body--> CHECKING --all reachable--> RELAYING --answer--> OVER
///                              +------otherwise: told as "not our ref"----> OVER
/// ```
final class FetchIntake implements Stage {
    private enum State {
        READING,
        CHECKING,
        RELAYING,
        OVER
    }

    private final Relay.Surroundings surroundings;
    private final PushJudging judging;
    private final Ask ask;
    private final GitPermit permit;
    private final BodySource source;
    private final ByteBuf body = Unpooled.buffer();
    private State state = State.READING;
    private JudgeQueue.@Nullable Turn turn;
    private @Nullable Relay relay;

    /// @param source inflates when the body is compressed
    FetchIntake(
            Relay.Surroundings surroundings,
            PushJudging judging,
            Ask ask,
            GitPermit permit,
            BodySource source) {
        this.surroundings = surroundings;
        this.judging = judging;
        this.ask = ask;
        this.permit = permit;
        this.source = source;
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
        while ((next = source.poll()) != null) {
            try {
                if (!judging.requests().take(permit.session(), next.readableBytes())) {
                    throw new RefusedException(Refusal.GATEWAY_BUSY, "there is no room for more");
                }
                body.writeBytes(next);
            } finally {
                next.release();
            }
        }
    }

    @Override
    public void end() {
        if (state != State.READING) {
            return;
        }
        try {
            source.finish();
            take();
            FetchRequest request = FetchRequest.parse(body.retainedDuplicate(), permit.visible());
            state = State.CHECKING;
            turn =
                    judging.submit(
                            permit,
                            ask.session().credentials(),
                            request,
                            result -> ask.responder().loop().execute(() -> checked(result)));
        } catch (RefusedException e) {
            refuse(e.refusal());
        }
    }

    private void checked(PushJudging.Wants result) {
        if (state == State.OVER) {
            return;
        }
        switch (result) {
            case PushJudging.Wants.Reachable(Set<ObjectName> seen) -> {
                try {
                    relay(FetchRequest.rewrite(body.retainedDuplicate(), permit.visible(), seen));
                } catch (RefusedException e) {
                    refuse(e.refusal());
                }
            }
            case PushJudging.Wants.Unknown(ObjectName id) -> notOurs(id);
            case PushJudging.Wants.NotChecked(Failure failure) -> refuse(failure);
        }
    }

    private void relay(ByteBuf rewritten) {
        state = State.RELAYING;
        release();
        PieceQueue whole = new PieceQueue(rewritten.readableBytes());
        BodyFraming framing = new BodyFraming.Sized(rewritten.readableBytes());
        Relay carrier =
                new Relay(
                        surroundings,
                        ask,
                        GitWire.call(permit, framing, Optional.empty()),
                        whole,
                        new AnswerFilter.Unchanged(),
                        new Outlet.Plain(ask, GitWire.resultType(permit.service())));
        relay = carrier;
        carrier.body(rewritten);
        carrier.end();
        carrier.start();
    }

    /// The same words for what is hidden and for what does not exist.
    private void notOurs(ObjectName id) {
        close();
        surroundings.audit().failed(ask, Refusal.REF_NOT_ALLOWED);
        ByteBuf error = Unpooled.buffer();
        PktLine.write(error, "ERR sallyport: not our ref " + id + "\n");
        String type = GitWire.resultType(permit.service());
        OptionalLong length = OptionalLong.of(error.readableBytes());
        ask.responder().start(200, GitWire.answerFields(type), length);
        ask.responder().write(error);
        ask.responder().end();
    }

    private void refuse(Refusal reason) {
        refuse(Failure.of(reason));
    }

    private void refuse(Failure failure) {
        close();
        surroundings.audit().failed(ask, failure);
        ask.refuse(failure);
    }

    private void close() {
        state = State.OVER;
        release();
    }

    private void release() {
        source.release();
        judging.requests().giveBack(permit.session(), body.readableBytes());
        body.release();
    }

    @Override
    public void abort(Refusal reason) {
        if (state == State.READING || state == State.CHECKING) {
            surroundings.audit().failed(ask, reason);
        }
        switch (state) {
            case READING -> close();
            case CHECKING -> {
                close();
                if (turn != null) {
                    turn.cancel();
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
        }
    }
}

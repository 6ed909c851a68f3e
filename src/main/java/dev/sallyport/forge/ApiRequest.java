package dev.sallyport.forge;

import dev.sallyport.credential.CredentialBook;
import dev.sallyport.http.RequestHandler;
import dev.sallyport.policy.ApiPermit;
import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.Ask;
import dev.sallyport.upstream.AnswerHead;
import dev.sallyport.upstream.ApiOrder;
import dev.sallyport.upstream.Client;
import dev.sallyport.upstream.Failure;
import dev.sallyport.upstream.UpstreamCall;
import dev.sallyport.upstream.UpstreamEvents;
import dev.sallyport.upstream.WholeCall;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;

/// One request to an API. Exactly one state is current:
///
/// ```
///           whole             something must be known
/// Intake ───────────▶ Judging ◀────────────────────▶ (a question of ours)
///                        │ allowed, recorded
///                        ├──────▶ Sending ─── answer whole, shaped ──▶ over
///                        └──────▶ Streaming ─── answer passed on ────▶ over
/// any ── denied, failed, sandbox gone ───────────────────────────────▶ over
/// ```
final class ApiRequest implements RequestHandler {
    /// Whoever is in a state hears what arrives; buffers are its to release.
    interface State {
        default void body(ByteBuf piece) {
            piece.release();
        }

        default void end() {}

        default void writabilityChanged(boolean writable) {}

        /// The state is left, in whatever way: nothing of it goes on.
        default void leave() {}
    }

    private static final State OVER = new State() {};

    private final ApiDoor door;
    private final Ask ask;
    private State state = OVER;
    private boolean recorded;
    private int heldBytes;

    ApiRequest(ApiDoor door, Ask ask) {
        this.door = door;
        this.ask = ask;
    }

    void take(ApiSite site) {
        state = new ApiIntake(this, site);
        ask.responder().proceed();
    }

    Ask ask() {
        return ask;
    }

    ApiDoor door() {
        return door;
    }

    ApiDoors shared() {
        return door.shared();
    }

    @SuppressWarnings("ReferenceEquality") // A state is what it is, not what it is like.
    boolean isIn(State other) {
        return state == other;
    }

    void become(State next) {
        state.leave();
        state = next;
    }

    /// Its decision is in the record; what goes wrong from here on is a failure.
    void recorded() {
        recorded = true;
    }

    /// Takes memory for the request until it is over.
    boolean hold(int bytes) {
        boolean taken = door.room().take(bytes);
        heldBytes += taken ? bytes : 0;
        return taken;
    }

    private void over() {
        become(OVER);
        door.room().give(heldBytes);
        heldBytes = 0;
    }

    void deny(Ruling.Denied denied) {
        deny(denied, OptionalLong.empty());
    }

    void deny(Ruling.Denied denied, OptionalLong retrySeconds) {
        door.audit().denied(ask, denied);
        over();
        ApiAnswer.refuse(ask, denied, retrySeconds);
    }

    void fail(Refusal reason) {
        fail(Failure.of(reason));
    }

    void fail(Failure failure) {
        fail(failure, Ruling.Denied.of(failure.reason()));
    }

    /// The repository that was granted is not there under its name.
    void notFound() {
        fail(Failure.of(Refusal.REPO_NOT_FOUND), Ruling.Denied.notFound(Map.of()));
    }

    private void fail(Failure failure, Ruling.Denied denied) {
        if (!recorded) {
            deny(denied, failure.retrySeconds());
            return;
        }
        door.audit().failed(ask, failure);
        over();
        ApiAnswer.refuse(ask, denied, failure.retrySeconds());
    }

    /// Asks upstream with the credential of the session's present rights, and only while these
    /// allow what the request relies on.
    WholeCall whole(
            ApiOrder order,
            byte[] body,
            WholeCall.Terms terms,
            List<ApiPermit> relies,
            Consumer<WholeCall.Outcome> told) {
        return WholeCall.begin(
                ask.responder().loop(),
                events -> call(order, events),
                body,
                terms,
                () -> holds(relies),
                told);
    }

    Optional<UpstreamCall> call(Client.Order order, UpstreamEvents events) {
        return shared().upstream().call(order, credentials(), ask.responder().loop(), events);
    }

    boolean holds(List<ApiPermit> relies) {
        return relies.stream().allMatch(ask::holds);
    }

    /// As the session has them at this moment.
    CredentialBook credentials() {
        return ask.responder().session().credentials();
    }

    /// What the status of an answer means that is told in our words.
    Failure failure(ApiPermit permit, AnswerHead head) {
        return Failure.of(head, credentials().identity(permit) != null);
    }

    /// An answer has begun and cannot be completed.
    void cut(Failure failure) {
        door.audit().failed(ask, failure);
        over();
        ask.responder().cut();
    }

    void answer(int status, Map<String, String> fields, byte[] body) {
        over();
        ask.responder().answer(status, fields, Unpooled.wrappedBuffer(body));
    }

    /// The answer was passed on.
    void complete() {
        over();
        ask.responder().end();
    }

    @Override
    public void body(ByteBuf piece) {
        state.body(piece);
    }

    @Override
    public void end() {
        state.end();
    }

    @Override
    public void writabilityChanged(boolean writable) {
        state.writabilityChanged(writable);
    }

    @Override
    public void abort(Refusal reason) {
        if (isIn(OVER)) {
            return;
        }
        if (recorded) {
            door.audit().failed(ask, Failure.of(reason));
        } else {
            door.audit().denied(ask, reason);
        }
        over();
    }
}

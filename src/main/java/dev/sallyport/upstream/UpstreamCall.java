package dev.sallyport.upstream;

import dev.sallyport.credential.CredentialBook;
import dev.sallyport.credential.EchoException;
import dev.sallyport.policy.GitPermit;
import dev.sallyport.policy.Refusal;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// The caller's end of one request upstream. All methods are called on the event loop that the call
/// was made with, the one of the sandbox's connection: neither side waits for a lock or a thread.
///
/// ```
/// CONNECTING --head sent--> AWAITING --head of answer--> ANSWERING --its end--> OVER
///     ^____________________/ a dead connection was kept, another name is right, a login is renewed
/// ```
public final class UpstreamCall {
    /// 1xx answers that are skipped; a stream of them would otherwise keep us waiting.
    private static final int INTERIM_ANSWERS_MAX = 8;

    private static final int SWITCHING = 101;

    private enum State {
        CONNECTING,
        AWAITING,
        ANSWERING,
        OVER
    }

    private final Client client;
    private final Optional<Lane> lane;
    private final EventLoop loop;
    private final UpstreamEvents events;
    private CredentialBook credentials;
    private Asked asked;
    private State state = State.CONNECTING;
    private boolean reused;
    private boolean requestSent;
    private boolean renewed;
    private boolean authorized;
    private boolean lasting;
    private int interimAnswers;
    private AnswerGuard guard = new AnswerGuard(Optional.empty());
    private @Nullable CompletableFuture<Connection> connecting;
    private @Nullable Connection connection;

    UpstreamCall(
            Client client,
            Asked asked,
            Optional<Lane> lane,
            CredentialBook credentials,
            EventLoop loop,
            UpstreamEvents events) {
        this.client = client;
        this.asked = asked;
        this.lane = lane;
        this.credentials = credentials;
        this.loop = loop;
        this.events = events;
    }

    /// First the credential, which may have to be minted, then the connection.
    void start() {
        if (state == State.CONNECTING) {
            await(credentials.prepare(asked.permit()));
        }
    }

    private void await(CompletableFuture<CredentialBook> book) {
        new CredentialWait(loop, client.limits().answerSecondsMax(), asked.withoutCredential())
                .until(book, this::prepared, this::failed);
    }

    private void prepared(CredentialBook book) {
        if (state == State.CONNECTING) {
            credentials = book;
            take();
        }
    }

    private void take() {
        ConnectionKey key = ConnectionKey.of(asked, lane, credentials, loop);
        Optional<Connection> kept = client.kept().take(key, !asked.isRepeatable());
        kept.ifPresentOrElse(one -> begin(one, true), () -> connect(client.connect(asked, key)));
    }

    private void connect(CompletableFuture<Connection> opening) {
        connecting = opening;
        var _ =
                opening.whenComplete(
                        (opened, problem) -> {
                            if (problem == null) {
                                begin(opened, opened.isJoined());
                            } else {
                                failed(UpstreamException.of(problem).failure());
                            }
                        });
    }

    private void begin(Connection ready, boolean again) {
        if (!events.holds()) {
            ready.close();
            failed(Failure.of(Refusal.RIGHTS_CHANGED));
            return;
        }
        HttpRequest head;
        try {
            head = asked.head(credentials);
            guard = AnswerGuard.of(asked, credentials, head);
        } catch (IllegalStateException | IllegalArgumentException e) {
            // The secrets are gone; or a part that cannot be written was not checked by its door.
            boolean ended = e instanceof IllegalStateException;
            ready.close();
            failed(Failure.of(ended ? Refusal.SESSION_ENDED : Refusal.INTERNAL));
            return;
        }
        ConnectionKey key = ConnectionKey.of(asked, lane, credentials, loop);
        if (!ready.key().isFor(key)) {
            // The credential was renewed in this moment.
            ready.close();
            connect(client.connect(asked, key));
            return;
        }
        authorized = head.headers().contains(HttpHeaderNames.AUTHORIZATION);
        connection = ready;
        reused = again;
        requestSent = false;
        state = State.AWAITING;
        ready.begin(this, head, asked.hasBody());
        if (asked.hasBody()) {
            events.writable(isWritable());
            if (!requestSent) {
                ready.flush();
            }
        } else {
            end(Map.of());
        }
    }

    /// Whether a body follows the head.
    public boolean hasBody() {
        return asked.hasBody();
    }

    public boolean isWritable() {
        return connection != null && isUnderWay() && !requestSent && connection.isWritable();
    }

    /// Sends a piece of the body. Takes ownership; the caller heeds [#isWritable].
    public void write(ByteBuf piece) {
        if (connection == null || !isUnderWay() || requestSent) {
            piece.release();
        } else {
            connection.write(piece);
        }
    }

    /// The body is complete.
    ///
    /// @param trailers fields after it, checked by the door
    public void end(Map<String, String> trailers) {
        if (connection != null && isUnderWay() && !requestSent) {
            requestSent = true;
            connection.endRequest(trailers);
            expect();
        }
    }

    /// Lets the answer come, or holds it back while the sandbox is slow to take it.
    public void reading(boolean wanted) {
        if (connection == null || !isUnderWay()) {
            return;
        }
        connection.reading(wanted);
        if (wanted) {
            expect();
        } else {
            connection.watch().stop();
        }
    }

    /// Gives up: nothing more is sent, and no event follows. Upstream has not seen the end of a
    /// request whose body was not complete.
    public void close() {
        if (state != State.OVER) {
            over();
            if (connecting != null) {
                connecting.cancel(false);
            }
            hangUp();
        }
    }

    private void hangUp() {
        if (connection != null) {
            connection.close();
            connection = null;
        }
    }

    private void over() {
        state = State.OVER;
        guard.release();
    }

    private boolean isUnderWay() {
        return state == State.AWAITING || state == State.ANSWERING;
    }

    /// What upstream has to do next has to happen in time; while the sandbox is slow, nothing has.
    private void expect() {
        if (connection == null) {
            return;
        }
        if (state == State.ANSWERING) {
            connection.watch().expectWithin(connection.limits().idleSecondsMax());
        } else if (requestSent) {
            connection.watch().expectWithin(connection.limits().answerSecondsMax());
        } else {
            connection.watch().stop();
        }
    }

    void writabilityChanged(boolean writable) {
        if (connection == null || requestSent) {
            return;
        }
        if (writable) {
            expect();
        } else {
            connection.watch().expectWithin(connection.limits().idleSecondsMax());
        }
        loop.execute(this::tellWritability);
    }

    /// Later rather than at once: Netty reports a change from inside `write`, where a caller that
    /// writes more in response would overtake itself.
    private void tellWritability() {
        if (isUnderWay() && !requestSent) {
            events.writable(isWritable());
        }
    }

    void part(AnswerPart part) {
        switch (part) {
            case AnswerPart.Head(AnswerHead head) -> head(head);
            case AnswerPart.Piece(ByteBuf bytes) -> piece(bytes);
            case AnswerPart.Trailers(List<AnswerHead.Field> fields) -> trailers(fields);
            case AnswerPart.End _ -> complete();
        }
    }

    private void head(AnswerHead head) {
        if (head.isInterim() && ++interimAnswers <= INTERIM_ANSWERS_MAX) {
            return;
        }
        if (!asked.isForGit() && guard.objectsTo(head)) {
            refuse(Failure.of(Refusal.UPSTREAM_MISBEHAVED));
            return;
        }
        if (head.status() == SWITCHING && asked.isWebSocket() && connection != null) {
            state = State.OVER;
            connection.hand(head, events, guard.echo());
            return;
        }
        if (head.status() < 200) {
            refuse(Failure.of(Refusal.UPSTREAM_MISBEHAVED));
            return;
        }
        if (head.isUnauthorized() && !renewed && renews()) {
            return;
        }
        Optional<Failure> objection =
                asked.answerType().flatMap(type -> AnswerCheck.objection(head, type, authorized));
        if (objection.isPresent()) {
            objected(objection.get());
            return;
        }
        if (asked.permit() instanceof GitPermit permit && asked.answerType().isPresent()) {
            client.spellings().found(permit.repo(), asked.target());
        }
        state = State.ANSWERING;
        lasting = head.lasting();
        expect();
        events.begun(head);
    }

    /// Has an access token that the host does not take replaced, once; false when it is none.
    private boolean renews() {
        Optional<CompletableFuture<CredentialBook>> book = credentials.renew(asked.permit());
        if (book.isPresent()) {
            hangUp();
            state = State.CONNECTING;
            renewed = true;
            await(asked.hasBody() ? CredentialWait.inVain(book.get()) : book.get());
        }
        return book.isPresent();
    }

    /// Asks a plain host that does not know the repository for its other name, once.
    private void objected(Failure failure) {
        if (failure.reason() != Refusal.REPO_NOT_FOUND || asked.otherwise().isEmpty()) {
            refuse(failure);
            return;
        }
        hangUp();
        asked = asked.again(asked.otherwise().get());
        again();
    }

    /// On a channel of its own, so that it is not lost in the same way once more.
    private void again() {
        state = State.CONNECTING;
        connection = null;
        connect(client.dial(asked, ConnectionKey.of(asked, lane, credentials, loop)));
    }

    /// What completes an answer of git before its request is complete is kept back: it belongs to
    /// some other request, or to none.
    private void piece(ByteBuf bytes) {
        boolean early = asked.isForGit() && !requestSent;
        if (early && connection != null && connection.isAnswerComplete()) {
            bytes.release();
            refuse(Failure.of(Refusal.UPSTREAM_MISBEHAVED));
            return;
        }
        try {
            tell(guard.pass(bytes));
        } catch (EchoException _) {
            refuse(Failure.of(Refusal.UPSTREAM_MISBEHAVED));
        }
    }

    private void trailers(List<AnswerHead.Field> fields) {
        tell(guard.rest());
        if (guard.objectsTo(fields)) {
            refuse(Failure.of(Refusal.UPSTREAM_MISBEHAVED));
        } else if (state != State.OVER) {
            events.trailers(fields);
        }
    }

    private void tell(ByteBuf piece) {
        if (piece.isReadable()) {
            events.piece(piece);
        } else {
            piece.release();
        }
    }

    /// A connection on which the request is not complete, or which upstream will close, serves no
    /// other.
    private void complete() {
        if (asked.isForGit() && !requestSent) {
            refuse(Failure.of(Refusal.UPSTREAM_MISBEHAVED));
            return;
        }
        tell(guard.rest());
        if (state == State.OVER) {
            return;
        }
        state = State.OVER;
        if (connection != null) {
            connection.answered(lasting && requestSent);
        }
        events.complete();
    }

    /// The connection is gone. A verified git host that says nothing at all misbehaves, too.
    ///
    /// @param heard whether something of an answer came before that
    void lost(boolean heard) {
        if (reused && !heard && asked.isRepeatable() && state == State.AWAITING) {
            again();
        } else {
            boolean rude = heard || asked.isForGit();
            failed(Failure.of(rude ? Refusal.UPSTREAM_MISBEHAVED : Refusal.UPSTREAM_UNREACHABLE));
        }
    }

    private void refuse(Failure failure) {
        hangUp();
        failed(failure);
    }

    void failed(Failure failure) {
        if (state != State.OVER) {
            over();
            events.failed(failure);
        }
    }
}

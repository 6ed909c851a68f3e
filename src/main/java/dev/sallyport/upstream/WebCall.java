package dev.sallyport.upstream;

import dev.sallyport.credential.CredentialBook;
import dev.sallyport.policy.Refusal;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.HttpRequest;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// The caller's end of one request upstream. All methods are called on the event loop that the call
/// was made with.
///
/// ```
/// CONNECTING --head sent--> AWAITING --head of answer--> ANSWERING --its end--> OVER
///     ^____________________/ a kept connection turned out to be dead
/// ```
public final class WebCall {
    /// Requests that may be made twice (RFC 9110, section 9.2.2), when nothing of an answer came.
    private static final Set<String> REPEATABLE = Set.of("GET", "HEAD", "OPTIONS");

    /// 1xx answers that are skipped; a stream of them would otherwise keep us waiting.
    private static final int INTERIM_ANSWERS_MAX = 8;

    private static final int SWITCHING = 101;

    private enum State {
        CONNECTING,
        AWAITING,
        ANSWERING,
        OVER
    }

    private final KeptConnections connections;
    private final WebOrder order;
    private final CredentialBook credentials;
    private final EventLoop loop;
    private final WebEvents events;
    private State state = State.CONNECTING;
    private boolean reused;
    private boolean requestSent;
    private boolean lasting;
    private int interimAnswers;
    private @Nullable CompletableFuture<WebConnection> connecting;
    private @Nullable WebConnection connection;

    WebCall(
            KeptConnections connections,
            WebOrder order,
            CredentialBook credentials,
            EventLoop loop,
            WebEvents events) {
        this.connections = connections;
        this.order = order;
        this.credentials = credentials;
        this.loop = loop;
        this.events = events;
    }

    void start() {
        if (state != State.CONNECTING) {
            return;
        }
        WebConnection kept = connections.take(order).orElse(null);
        reused = kept != null;
        if (kept != null) {
            begin(kept);
        } else {
            connect();
        }
    }

    private void connect() {
        CompletableFuture<WebConnection> opening = connections.connect(order, loop);
        connecting = opening;
        var _ =
                opening.whenComplete(
                        (opened, problem) -> {
                            if (problem == null) {
                                begin(opened);
                            } else {
                                failed(UpstreamException.of(problem).refusal());
                            }
                        });
    }

    private void begin(WebConnection ready) {
        HttpRequest head;
        try {
            head = WebHeadWriter.write(order, credentials);
        } catch (IllegalStateException _) {
            ready.close();
            failed(Refusal.SESSION_ENDED);
            return;
        } catch (IllegalArgumentException _) {
            // A part that cannot be written was not checked by its door.
            ready.close();
            failed(Refusal.INTERNAL);
            return;
        }
        connection = ready;
        state = State.AWAITING;
        ready.begin(this, head, order.method().equals("HEAD"));
        if (order.hasBody()) {
            events.writable(isWritable());
        } else {
            end(Map.of());
        }
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
            state = State.OVER;
            if (connecting != null) {
                connecting.cancel(false);
            }
            if (connection != null) {
                connection.close();
            }
        }
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
            case AnswerPart.Piece(ByteBuf bytes) -> events.piece(bytes);
            case AnswerPart.End _ -> complete();
        }
    }

    private void head(AnswerHead head) {
        if (head.isInterim() && ++interimAnswers <= INTERIM_ANSWERS_MAX) {
            return;
        }
        if (head.status() == SWITCHING && order.websocket() && connection != null) {
            state = State.OVER;
            connection.hand(head, events);
            return;
        }
        if (head.status() < 200) {
            close();
            events.failed(Refusal.UPSTREAM_MISBEHAVED);
            return;
        }
        state = State.ANSWERING;
        lasting = head.lasting();
        expect();
        events.begun(head);
    }

    /// A connection on which the request is not complete, or which upstream will close, serves no
    /// other.
    private void complete() {
        state = State.OVER;
        if (connection != null) {
            connection.finished();
            if (lasting && requestSent) {
                connections.keep(connection);
            } else {
                connection.close();
            }
        }
        events.complete();
    }

    /// The connection is gone.
    ///
    /// @param heard whether something of an answer came before that
    void lost(boolean heard) {
        boolean again = reused && !heard && !order.hasBody() && REPEATABLE.contains(order.method());
        if (again && state == State.AWAITING) {
            state = State.CONNECTING;
            reused = false;
            requestSent = false;
            connection = null;
            connect();
        } else {
            failed(heard ? Refusal.UPSTREAM_MISBEHAVED : Refusal.UPSTREAM_UNREACHABLE);
        }
    }

    void failed(Refusal reason) {
        if (state != State.OVER) {
            state = State.OVER;
            events.failed(reason);
        }
    }
}

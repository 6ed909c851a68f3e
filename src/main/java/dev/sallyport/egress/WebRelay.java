package dev.sallyport.egress;

import dev.sallyport.credential.EchoException;
import dev.sallyport.credential.EchoGuard;
import dev.sallyport.http.RequestHandler;
import dev.sallyport.policy.Inspection;
import dev.sallyport.policy.Refusal;
import dev.sallyport.session.LiveSession;
import dev.sallyport.upstream.AnswerHead;
import dev.sallyport.upstream.Failure;
import dev.sallyport.upstream.Lane;
import dev.sallyport.upstream.UpstreamCall;
import dev.sallyport.upstream.UpstreamEvents;
import dev.sallyport.upstream.WebOrder;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Carries one request up and its answer down. Each side is paused while the other is slow, so what
/// is in memory is bounded by the two send buffers.
final class WebRelay implements RequestHandler, UpstreamEvents {
    /// Of a line of a head, besides name and value.
    private static final int LINE_BYTES = 4;

    private static final int SWITCHING = 101;

    private final WebAsk ask;
    private final WebOrder order;
    private final WebTerms terms;
    private final EgressUse use;
    private final Lane lane;
    private final Optional<JsonGate> gate;
    private Optional<EchoGuard> guard = Optional.empty();
    private @Nullable UpstreamCall call;
    private Map<String, String> trailers = Map.of();
    private long bodyBytes;
    private boolean over;

    WebRelay(WebAsk ask, WebOrder order, WebTerms terms, EgressUse use, Lane lane) {
        this.ask = ask;
        this.order = order;
        this.terms = terms;
        this.use = use;
        this.lane = lane;
        this.gate = order.hasBody() ? JsonGate.of(order.permit(), terms.json()) : Optional.empty();
    }

    /// @param unrecorded why the decision is not in the record; absent if it is
    void recorded(Optional<Refusal> unrecorded) {
        if (over) {
            return;
        }
        if (unrecorded.isPresent()) {
            fail(unrecorded.get());
        } else if (!holds()) {
            fail(Refusal.RIGHTS_CHANGED);
        } else if (!use.up(
                order.method().length() + order.target().length() + bytes(order.fields()))) {
            fail(Refusal.BUDGET_SPENT);
        } else {
            start();
        }
    }

    private void start() {
        try {
            guard = ask.session().credentials().injectionGuard(order.permit());
        } catch (IllegalStateException _) {
            fail(Refusal.SESSION_ENDED);
            return;
        }
        call = lane.call(order, ask.session().credentials(), ask.responder().loop(), this);
        if (!order.hasBody()) {
            ask.responder().resumeBody();
        }
    }

    private static long bytes(Map<String, String> fields) {
        return fields.entrySet().stream()
                .mapToLong(f -> f.getKey().length() + f.getValue().length() + LINE_BYTES)
                .sum();
    }

    @Override
    public void writable(boolean writable) {
        if (over) {
            return;
        }
        if (writable) {
            ask.responder().proceed();
            ask.responder().resumeBody();
        } else {
            ask.responder().pauseBody();
        }
    }

    @Override
    public void body(ByteBuf piece) {
        if (over || call == null) {
            piece.release();
            return;
        }
        bodyBytes += piece.readableBytes();
        Optional<Refusal> objection = objection(piece.readableBytes());
        if (objection.isPresent()) {
            piece.release();
            fail(objection.get());
            return;
        }
        try {
            send(gate.isPresent() ? gate.get().pass(piece) : piece);
        } catch (DeniedJsonException e) {
            fail(e.reason());
        }
    }

    /// A body that came in chunks is found to be too large only here. Upstream is cut before the
    /// end, and so has no whole request.
    private Optional<Refusal> objection(int pieceBytes) {
        if (!holds()) {
            return Optional.of(Refusal.RIGHTS_CHANGED);
        }
        boolean large =
                order.permit()
                        .inspection()
                        .flatMap(Inspection::requestBytesMax)
                        .filter(max -> bodyBytes > max)
                        .isPresent();
        if (large) {
            return Optional.of(Refusal.BODY_TOO_LARGE);
        }
        return use.up(pieceBytes) ? Optional.empty() : Optional.of(Refusal.BUDGET_SPENT);
    }

    private void send(ByteBuf piece) {
        if (call == null || !piece.isReadable()) {
            piece.release();
            return;
        }
        call.write(piece);
        if (!call.isWritable()) {
            ask.responder().pauseBody();
        }
    }

    @Override
    public void trailers(Map<String, String> fields) {
        trailers = PassedFields.trailers(fields, order);
    }

    @Override
    public void end() {
        if (over || call == null) {
            return;
        }
        if (!use.up(bytes(trailers))) {
            fail(Refusal.BUDGET_SPENT);
            return;
        }
        try {
            if (gate.isPresent()) {
                send(gate.get().finish());
            }
            call.end(trailers);
        } catch (DeniedJsonException e) {
            fail(e.reason());
        }
    }

    @Override
    public void begun(AnswerHead head) {
        Map<String, String> fields = PassedFields.downstream(head);
        if (over || !isRelayed(head)) {
            fail(Refusal.UPSTREAM_MISBEHAVED);
        } else if (!use.down(bytes(fields))) {
            fail(Refusal.BUDGET_SPENT);
        } else {
            ask.responder().start(head.status(), fields, head.length());
        }
    }

    /// Not when it repeats the secret, or could without our seeing it (E14), and not when it is DNS
    /// (E4).
    private boolean isRelayed(AnswerHead head) {
        for (AnswerHead.Field field : head.fields()) {
            boolean echo =
                    guard.filter(g -> g.isIn(field.name() + ":" + field.value())).isPresent();
            boolean hidden = guard.isPresent() && isEncoded(field);
            boolean dns = field.name().equals("content-type") && DnsOverHttps.names(field.value());
            if (echo || hidden || dns) {
                return false;
            }
        }
        return true;
    }

    private static boolean isEncoded(AnswerHead.Field field) {
        return field.name().equals("content-encoding")
                && !field.value().equalsIgnoreCase("identity");
    }

    @Override
    public void piece(ByteBuf piece) {
        if (over) {
            piece.release();
            return;
        }
        try {
            relay(guard.isPresent() ? guard.get().pass(piece) : piece);
        } catch (EchoException _) {
            fail(Refusal.UPSTREAM_MISBEHAVED);
        }
    }

    /// A right that is withdrawn ends what relies on it: the request is judged again, as a whole.
    private boolean holds() {
        LiveSession now = terms.session().get();
        return now.policy().equals(ask.session().policy())
                || (new WebJudge(order.permit(), order.tls()).judge(now, ask.head())
                                instanceof Judgement.Allowed allowed
                        && allowed.permit().isLike(order.permit()));
    }

    private void relay(ByteBuf piece) {
        if (!holds()) {
            piece.release();
            fail(Refusal.RIGHTS_CHANGED);
            return;
        }
        if (!use.down(piece.readableBytes())) {
            piece.release();
            fail(Refusal.BUDGET_SPENT);
            return;
        }
        ask.responder().write(piece);
        if (call != null && !ask.responder().isWritable()) {
            call.reading(false);
        }
    }

    @Override
    public void writabilityChanged(boolean writable) {
        if (call != null && !over) {
            call.reading(writable);
        }
    }

    @Override
    public void complete() {
        if (over) {
            return;
        }
        guard.ifPresent(g -> relay(g.rest()));
        if (!over) {
            close();
            ask.responder().end();
        }
    }

    /// From here on the relay of a WebSocket has the budget's place and the watch for echoes.
    @Override
    public void switched(AnswerHead head, Channel channel, ByteBuf unread) {
        Optional<Map<String, String>> fields = WebSocket.accepted(order.fields(), head);
        if (over || fields.isEmpty() || !isRelayed(head)) {
            unread.release();
            var _ = channel.close();
            fail(Refusal.UPSTREAM_MISBEHAVED);
            return;
        }
        over = true;
        WebSocketRelay next = new WebSocketRelay(terms, ask, order, use, guard, channel);
        next.await(unread);
        ask.responder().takeOver(SWITCHING, fields.get(), next);
    }

    @Override
    public void failed(Failure failure) {
        fail(failure.reason());
    }

    private void fail(Refusal reason) {
        if (!over) {
            close();
            terms.audit().failed(ask, reason);
            ask.refuse(reason);
        }
    }

    @Override
    public void abort(Refusal reason) {
        if (!over) {
            close();
            terms.audit().failed(ask, reason);
        }
    }

    private void close() {
        over = true;
        if (call != null) {
            call.close();
        }
        use.close();
        guard.ifPresent(EchoGuard::release);
        gate.ifPresent(JsonGate::release);
    }
}

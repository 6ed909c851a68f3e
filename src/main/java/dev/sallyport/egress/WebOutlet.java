package dev.sallyport.egress;

import dev.sallyport.credential.EchoGuard;
import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.Ask;
import dev.sallyport.relay.Outlet;
import dev.sallyport.relay.RefusedException;
import dev.sallyport.relay.Relay;
import dev.sallyport.upstream.AnswerHead;
import dev.sallyport.upstream.Failure;
import dev.sallyport.upstream.WebOrder;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/// The answer of a host as the sandbox gets it: begun as soon as it begins, since much may be
/// streamed later, with the fields that are passed on.
final class WebOutlet implements Outlet {
    private static final int SWITCHING = 101;

    private final Ask ask;
    private final WebOrder order;
    private final WebTerms terms;
    private final EgressUse use;
    private Map<String, String> trailers = Map.of();

    WebOutlet(Ask ask, WebOrder order, WebTerms terms, EgressUse use) {
        this.ask = ask;
        this.order = order;
        this.terms = terms;
        this.use = use;
    }

    @Override
    public void begin(AnswerHead head, OptionalLong length) throws RefusedException {
        refuseDns(head);
        Map<String, String> fields = PassedFields.downstream(head);
        pay(fields);
        ask.responder().start(head.status(), fields, length);
    }

    private void pay(Map<String, String> fields) throws RefusedException {
        if (!use.down(Relay.headBytes(fields))) {
            throw new RefusedException(Refusal.BUDGET_SPENT, "the budget is used up");
        }
    }

    /// Whatever was asked for: names are answered by the gateway alone (E4).
    private static void refuseDns(AnswerHead head) throws RefusedException {
        for (AnswerHead.Field field : head.fields()) {
            if (field.name().equals("content-type") && DnsOverHttps.names(field.value())) {
                throw new RefusedException(Refusal.UPSTREAM_MISBEHAVED, "the answer is DNS");
            }
        }
    }

    @Override
    public void write(ByteBuf piece) {
        ask.responder().write(piece);
    }

    @Override
    public void trailers(List<AnswerHead.Field> fields) throws RefusedException {
        trailers = PassedFields.after(fields);
        pay(trailers);
    }

    @Override
    public void complete() {
        ask.responder().end(trailers);
    }

    @Override
    public void failed(Failure failure) {
        terms.audit().failed(ask, failure.reason());
    }

    @Override
    public void refuse(Failure failure) {
        ask.refuse(failure);
    }

    /// From here on the relay of a WebSocket has the budget's place and the watch for echoes.
    @Override
    public void switched(
            AnswerHead head, Channel channel, ByteBuf unread, Optional<EchoGuard> guard)
            throws RefusedException {
        refuseDns(head);
        Map<String, String> fields =
                WebSocket.accepted(order.fields(), head)
                        .orElseThrow(
                                () ->
                                        new RefusedException(
                                                Refusal.UPSTREAM_MISBEHAVED,
                                                "the host agreed to something else"));
        WebSocketTunnel next = new WebSocketTunnel(terms, ask, order, use, guard, channel);
        next.await(unread);
        ask.responder().takeOver(SWITCHING, fields, next);
    }
}

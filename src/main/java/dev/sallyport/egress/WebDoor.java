package dev.sallyport.egress;

import dev.sallyport.credential.CredentialBook;
import dev.sallyport.http.BodyFraming;
import dev.sallyport.http.IgnoredBody;
import dev.sallyport.http.RequestHandler;
import dev.sallyport.http.RequestHead;
import dev.sallyport.http.Responder;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.Remedy;
import dev.sallyport.relay.AnswerFilter;
import dev.sallyport.relay.Ask;
import dev.sallyport.relay.Outlet;
import dev.sallyport.relay.RefusedException;
import dev.sallyport.relay.Relay;
import dev.sallyport.session.LiveSession;
import dev.sallyport.upstream.Lane;
import dev.sallyport.upstream.Protocol;
import dev.sallyport.upstream.WebOrder;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;

/// The door of one connection to one host. The path of a request: judgement, budget, record, and
/// only then whatever has an effect.
public final class WebDoor implements WebDoors.Connection {
    private final EgressPermit place;
    private final boolean tls;
    private final WebTerms terms;
    private final Lane lane;

    public WebDoor(EgressPermit place, boolean tls, WebTerms terms) {
        this.place = place;
        this.tls = tls;
        this.terms = terms;
        this.lane = terms.upstream().lane();
    }

    @Override
    public RequestHandler open(LiveSession session, RequestHead head, Responder responder) {
        Ask ask = Ask.of(session, head, responder);
        return switch (new WebJudge(place, tls).judge(session, head)) {
            case Judgement.Denied denied -> deny(ask, denied);
            case Judgement.Allowed allowed -> take(ask, allowed);
        };
    }

    /// A request that came to nothing before it was recorded.
    void gaveUp(Ask ask, Judgement.Denied denied) {
        terms.audit().denied(ask, place, denied);
    }

    RequestHandler deny(Ask ask, Judgement.Denied denied) {
        gaveUp(ask, denied);
        Map<String, String> facts = new HashMap<>();
        facts.put("host", place.host().value());
        facts.put("port", Integer.toString(place.port()));
        denied.permit().ifPresent(permit -> facts.put("rule", permit.origin()));
        ask.responder()
                .refuse(
                        denied.reason(),
                        ask.id(),
                        OptionalLong.empty(),
                        denied.rule().orElse(""),
                        Remedy.of(denied.reason(), ask.session().sandbox(), facts));
        return new IgnoredBody();
    }

    private RequestHandler take(Ask ask, Judgement.Allowed allowed) {
        if (allowed.asks() || JudgedBody.isFor(allowed.permit(), ask.head())) {
            return new JudgedBody(this, ask, allowed, terms);
        }
        Optional<Relay> relay =
                serve(
                        ask,
                        allowed,
                        ask.head().framing(),
                        BodyHash.of(allowed.permit()),
                        WebBody::streamed);
        return relay.isPresent() ? relay.get() : new IgnoredBody();
    }

    /// Nothing when the budget is spent; the request is denied then.
    ///
    /// @param hash of a body that was read already, or of none
    Optional<Relay> serve(
            Ask ask,
            Judgement.Allowed allowed,
            BodyFraming framing,
            Optional<BodyHash> hash,
            Function<WebOrder, WebBody> body) {
        Optional<EgressUse> use = terms.budget().open(place.host());
        if (use.isEmpty() || !use.get().request()) {
            use.ifPresent(EgressUse::close);
            deny(ask, new Judgement.Denied(Refusal.BUDGET_SPENT, Optional.of(allowed.permit())));
            return Optional.empty();
        }
        Map<String, String> fields = PassedFields.upstream(ask.head(), allowed.permit());
        hash.ifPresent(h -> fields.put(CredentialBook.BODY_HASH, h.hex()));
        WebOrder order =
                new WebOrder(
                        allowed.permit(),
                        tls,
                        ask.head().method(),
                        allowed.target(),
                        fields,
                        framing,
                        protocol(ask));
        Relay relay = relay(ask, order, body.apply(order), use.get());
        ask.serve(relay, terms.audit().allowed(ask, allowed));
        return Optional.of(relay);
    }

    /// A host is asked in what the sandbox's own client has chosen, so that nothing is translated
    /// where nothing has to be.
    private static Protocol protocol(Ask ask) {
        if (Upgrade.of(ask.head()) == Upgrade.WEBSOCKET) {
            return Protocol.WEBSOCKET;
        }
        return ask.responder().isHttp2() ? Protocol.HTTP_2 : Protocol.HTTP_1_1;
    }

    /// Where the request goes, as a person writes it.
    String origin() {
        int usual = tls ? 443 : 80;
        String port = place.port() == usual ? "" : ":" + place.port();
        return (tls ? "https://" : "http://") + place.host() + port;
    }

    private Relay relay(Ask ask, WebOrder order, WebBody body, EgressUse use) {
        long headBytes =
                order.method().length() + order.target().length() + Relay.headBytes(order.fields());
        return new Relay(
                ask.responder(),
                events -> {
                    if (!use.up(headBytes)) {
                        throw new RefusedException(Refusal.BUDGET_SPENT, "the budget is used up");
                    }
                    // A body may have taken so long that the secrets of then are wiped.
                    return lane.call(
                            order,
                            terms.session().get().credentials(),
                            ask.responder().loop(),
                            events);
                },
                body,
                new AnswerFilter.Unchanged(),
                outlet(ask, order, use),
                use,
                () -> holds(ask, order));
    }

    private Outlet outlet(Ask ask, WebOrder order, EgressUse use) {
        WebOutlet sandbox = new WebOutlet(ask, order, terms, use);
        return order.permit().isForPages()
                ? new PageOutlet(order.permit().host(), sandbox)
                : sandbox;
    }

    /// Whether the request, judged again as a whole, is still allowed and goes the same way. Where
    /// a person is asked by now, one that nobody was asked about does not. A body is judged once,
    /// so what is said about bodies must be the same.
    private boolean holds(Ask ask, WebOrder order) {
        LiveSession now = terms.session().get();
        return now.policy().equals(ask.session().policy())
                || (new WebJudge(place, tls).judge(now, ask.head())
                                instanceof Judgement.Allowed allowed
                        && allowed.permit().isLike(order.permit())
                        && !allowed.permit().asksUnlike(order.permit())
                        && (order.framing() instanceof BodyFraming.None
                                || allowed.permit().judgesBodiesLike(order.permit())));
    }

    @Override
    public void close() {
        lane.close();
    }
}

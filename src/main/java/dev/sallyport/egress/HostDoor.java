package dev.sallyport.egress;

import dev.sallyport.http.IgnoredBody;
import dev.sallyport.http.RequestHandler;
import dev.sallyport.http.RequestHead;
import dev.sallyport.http.Responder;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.AnswerFilter;
import dev.sallyport.relay.Ask;
import dev.sallyport.relay.HeadBytes;
import dev.sallyport.relay.RefusedException;
import dev.sallyport.relay.Relay;
import dev.sallyport.session.LiveSession;
import dev.sallyport.upstream.Lane;
import dev.sallyport.upstream.WebOrder;
import java.util.Optional;

/// The door of one connection to one host. The path of a request: judgement, budget, record, and
/// only then whatever has an effect.
final class HostDoor implements WebDoors.Connection {
    private final EgressPermit place;
    private final boolean tls;
    private final WebTerms terms;
    private final Lane lane;

    HostDoor(EgressPermit place, boolean tls, WebTerms terms) {
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
            case Judgement.Allowed allowed -> serve(ask, allowed);
        };
    }

    private RequestHandler deny(Ask ask, Judgement.Denied denied) {
        terms.audit().denied(ask, place, denied);
        ask.refuse(denied.reason());
        return new IgnoredBody();
    }

    private RequestHandler serve(Ask ask, Judgement.Allowed allowed) {
        Optional<EgressUse> use = terms.budget().open(place.host());
        if (use.isEmpty() || !use.get().request()) {
            use.ifPresent(EgressUse::close);
            return deny(
                    ask, new Judgement.Denied(Refusal.BUDGET_SPENT, Optional.of(allowed.permit())));
        }
        WebOrder order =
                new WebOrder(
                        allowed.permit(),
                        tls,
                        ask.head().method(),
                        allowed.target(),
                        PassedFields.upstream(ask.head(), allowed.permit()),
                        ask.head().framing(),
                        Upgrade.of(ask.head()) == Upgrade.WEBSOCKET);
        return ask.serve(relay(ask, order, use.get()), terms.audit().allowed(ask, allowed));
    }

    private Relay relay(Ask ask, WebOrder order, EgressUse use) {
        long headBytes =
                order.method().length() + order.target().length() + HeadBytes.of(order.fields());
        return new Relay(
                ask.responder(),
                events -> {
                    if (!use.up(headBytes)) {
                        throw new RefusedException(Refusal.BUDGET_SPENT, "the budget is used up");
                    }
                    return lane.call(
                            order, ask.session().credentials(), ask.responder().loop(), events);
                },
                new WebBody(order, terms.json()),
                new AnswerFilter.Unchanged(),
                new WebOutlet(ask, order, terms, use),
                new WebAccount(ask, terms.audit(), use));
    }

    @Override
    public void close() {
        lane.close();
    }
}

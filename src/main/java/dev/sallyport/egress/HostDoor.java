package dev.sallyport.egress;

import dev.sallyport.audit.Recorder;
import dev.sallyport.http.IgnoredBody;
import dev.sallyport.http.RequestHandler;
import dev.sallyport.http.RequestHead;
import dev.sallyport.http.Responder;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.Remedy;
import dev.sallyport.session.LiveSession;
import dev.sallyport.upstream.Lane;
import dev.sallyport.upstream.WebOrder;
import java.util.HashMap;
import java.util.Map;
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
        WebAsk ask = WebAsk.of(session, head, responder);
        return switch (new WebJudge(place, tls).judge(session, head)) {
            case Judgement.Denied denied -> deny(ask, denied);
            case Judgement.Allowed allowed -> serve(ask, allowed);
        };
    }

    private RequestHandler deny(WebAsk ask, Judgement.Denied denied) {
        terms.audit().denied(ask, place, denied);
        Map<String, String> facts = new HashMap<>();
        facts.put("host", place.host().value());
        facts.put("port", Integer.toString(place.port()));
        denied.permit().ifPresent(permit -> facts.put("rule", permit.origin()));
        ask.refuse(denied.reason(), Remedy.of(denied.reason(), ask.session().sandbox(), facts));
        return new IgnoredBody();
    }

    private RequestHandler serve(WebAsk ask, Judgement.Allowed allowed) {
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
        WebRelay relay = new WebRelay(ask, order, terms, use.get(), lane);
        ask.responder().pauseBody();
        var _ =
                terms.audit()
                        .allowed(ask, allowed)
                        .whenComplete(
                                (_, problem) ->
                                        ask.responder()
                                                .loop()
                                                .execute(
                                                        () ->
                                                                relay.recorded(
                                                                        Optional.ofNullable(problem)
                                                                                .map(
                                                                                        Recorder
                                                                                                ::refusal))));
        return relay;
    }

    @Override
    public void close() {
        lane.close();
    }
}

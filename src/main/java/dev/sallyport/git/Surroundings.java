package dev.sallyport.git;

import dev.sallyport.policy.Proposals;
import dev.sallyport.relay.AnswerFilter;
import dev.sallyport.relay.Ask;
import dev.sallyport.relay.BodySource;
import dev.sallyport.relay.Outlet;
import dev.sallyport.relay.Relay;
import dev.sallyport.relay.SessionAccount;
import dev.sallyport.session.UsageMeter;
import dev.sallyport.upstream.Client;
import dev.sallyport.upstream.UpstreamRequest;

/// What every request of git needs of the door.
record Surroundings(Client upstream, GitAudit audit, UsageMeter usage, Proposals proposals) {
    /// Carries a request to its git host, once it is started.
    Relay relay(
            Ask ask,
            UpstreamRequest request,
            BodySource source,
            AnswerFilter filter,
            Outlet outlet) {
        return new Relay(
                ask.responder(),
                events ->
                        Relay.found(
                                upstream.call(
                                        request,
                                        ask.session().credentials(),
                                        ask.responder().loop(),
                                        events)),
                source,
                filter,
                outlet,
                new SessionAccount(usage, ask.session().id()),
                () -> ask.holds(request.permit()));
    }
}

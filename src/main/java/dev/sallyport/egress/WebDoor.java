package dev.sallyport.egress;

import dev.sallyport.policy.EgressPermit;
import dev.sallyport.upstream.WebUpstream;

/// Serves the requests of one session's connections whose host is known: judges each, records it,
/// builds it anew, and streams the answer back.
public final class WebDoor implements WebDoors {
    private final WebUpstream upstream;
    private final WebAudit audit;
    private final EgressBudget budget;

    public WebDoor(WebUpstream upstream, WebAudit audit, EgressBudget budget) {
        this.upstream = upstream;
        this.audit = audit;
        this.budget = budget;
    }

    @Override
    public Connection open(EgressPermit permit, boolean tls) {
        return new HostDoor(permit, tls, audit, budget, upstream.connections());
    }
}

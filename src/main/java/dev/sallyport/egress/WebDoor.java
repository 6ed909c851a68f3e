package dev.sallyport.egress;

import dev.sallyport.policy.EgressPermit;

/// Serves the requests of one session's connections whose host is known: judges each, records it,
/// builds it anew, and streams the answer back.
public final class WebDoor implements WebDoors {
    private final WebTerms terms;

    public WebDoor(WebTerms terms) {
        this.terms = terms;
    }

    @Override
    public Connection open(EgressPermit permit, boolean tls) {
        return new HostDoor(permit, tls, terms);
    }
}

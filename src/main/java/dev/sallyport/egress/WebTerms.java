package dev.sallyport.egress;

import dev.sallyport.config.Limits;
import dev.sallyport.session.LiveSession;
import dev.sallyport.upstream.WebUpstream;
import java.util.function.Supplier;

/// What all requests of one session to hosts besides git share.
///
/// @param session asked anew while a WebSocket is open, so that changed rights hold for it, too
public record WebTerms(
        Supplier<LiveSession> session,
        WebUpstream upstream,
        WebAudit audit,
        EgressBudget budget,
        Limits.Egress limits) {}

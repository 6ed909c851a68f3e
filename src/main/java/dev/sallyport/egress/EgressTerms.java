package dev.sallyport.egress;

import dev.sallyport.config.Limits;
import dev.sallyport.policy.Decision;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.session.LiveSession;
import dev.sallyport.upstream.Dialer;
import java.util.function.Supplier;

/// What all connections of one sandbox to hosts besides git share.
///
/// @param session asked anew for every decision, so that changed rights hold from the next one on
public record EgressTerms(
        Supplier<LiveSession> session,
        Limits.Egress limits,
        EgressBudget budget,
        EgressAudit audit,
        Dialer dialer,
        Inspector inspector,
        WebDoors webDoors) {
    Decision<EgressPermit> decide(Attempt attempt) {
        return session.get().policy().decide(attempt.host(), attempt.port());
    }
}

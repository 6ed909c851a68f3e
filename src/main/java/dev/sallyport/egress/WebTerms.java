package dev.sallyport.egress;

import dev.sallyport.config.Limits;
import dev.sallyport.session.LiveSession;
import dev.sallyport.upstream.Client;
import java.util.function.Supplier;

/// What all requests of one session to hosts besides git share.
///
/// @param session asked anew while a WebSocket is open, so that changed rights hold for it, too
/// @param json the session's share of the gateway's room for bodies
/// @param askedBytesMax of a body that a person is asked about
public record WebTerms(
        Supplier<LiveSession> session,
        Client upstream,
        WebAudit audit,
        EgressBudget budget,
        JsonRoom json,
        Limits.Egress limits,
        int askedBytesMax) {}

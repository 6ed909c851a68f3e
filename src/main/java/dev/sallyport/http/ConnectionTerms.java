package dev.sallyport.http;

import dev.sallyport.config.Limits;
import dev.sallyport.policy.Refusal;
import dev.sallyport.session.LiveSession;
import java.util.function.Supplier;

/// What all HTTP connections of one sandbox share.
///
/// @param session asked anew for every request, so that changed rights hold from the next one on
public record ConnectionTerms(
        Supplier<LiveSession> session,
        Door door,
        Limits.Http limits,
        RequestQuota quota,
        RefusalLog log) {
    /// What a sandbox sent can be read in two ways. A request that is with its door is cut, and the
    /// door records that under the request's id; otherwise it is recorded here.
    ///
    /// @return why the connection or stream ends
    Refusal ambiguous(boolean served) {
        if (served) {
            return Refusal.MALFORMED_BODY;
        }
        log.ambiguous();
        return Refusal.BAD_REQUEST;
    }

    public ConnectionTerms withDoor(Door other) {
        return new ConnectionTerms(session, other, limits, quota, log);
    }
}

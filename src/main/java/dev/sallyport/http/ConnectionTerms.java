package dev.sallyport.http;

import dev.sallyport.config.Limits;
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
    public ConnectionTerms withDoor(Door other) {
        return new ConnectionTerms(session, other, limits, quota, log);
    }
}

package dev.sallyport.http;

import dev.sallyport.session.LiveSession;

/// Takes requests of one part of the path space.
public interface Door {
    /// Called when a head has arrived, before any body. The handler may answer at once; the rest of
    /// the body is then discarded within limits, or the connection closed.
    RequestHandler open(LiveSession session, RequestHead head, Responder responder);
}

package dev.sallyport.egress;

import dev.sallyport.http.RefusalLog;
import dev.sallyport.http.RequestHead;
import dev.sallyport.http.Responder;
import dev.sallyport.policy.Refusal;
import dev.sallyport.session.LiveSession;

/// One request to this door, with the id under which the record can be searched for it.
record WebAsk(LiveSession session, RequestHead head, Responder responder, String id) {
    static WebAsk of(LiveSession session, RequestHead head, Responder responder) {
        return new WebAsk(session, head, responder, RefusalLog.newId());
    }

    void refuse(Refusal reason) {
        responder.refuse(reason, id);
    }
}

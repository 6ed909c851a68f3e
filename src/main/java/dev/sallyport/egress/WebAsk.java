package dev.sallyport.egress;

import dev.sallyport.http.RefusalLog;
import dev.sallyport.http.RequestHead;
import dev.sallyport.http.Responder;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.Remedy;
import dev.sallyport.session.LiveSession;
import java.util.Optional;

/// One request to this door, with the id under which the record can be searched for it.
record WebAsk(LiveSession session, RequestHead head, Responder responder, String id) {
    static WebAsk of(LiveSession session, RequestHead head, Responder responder) {
        return new WebAsk(session, head, responder, RefusalLog.newId());
    }

    void refuse(Refusal reason, Optional<Remedy> remedy) {
        responder.refuse(reason, id, remedy);
    }

    void refuse(Refusal reason) {
        responder.refuse(reason, id);
    }
}

package dev.sallyport.git;

import dev.sallyport.http.RequestHead;
import dev.sallyport.http.Responder;
import dev.sallyport.policy.Refusal;
import dev.sallyport.session.LiveSession;
import java.security.SecureRandom;
import java.util.HexFormat;

/// One request of a sandbox, with the id that its audit events and its refusal share.
record Ask(LiveSession session, RequestHead head, Responder responder, String id) {
    private static final SecureRandom RANDOM = new SecureRandom();

    static Ask of(LiveSession session, RequestHead head, Responder responder) {
        byte[] id = new byte[8];
        RANDOM.nextBytes(id);
        return new Ask(session, head, responder, HexFormat.of().formatHex(id));
    }

    void refuse(Refusal reason) {
        responder.refuse(reason, id);
    }
}

package dev.sallyport.gateway;

import dev.sallyport.http.Door;
import dev.sallyport.http.RequestHandler;
import dev.sallyport.http.RequestHead;
import dev.sallyport.http.Responder;
import dev.sallyport.session.LiveSession;

/// Says that the gateway answers.
final class HealthDoor implements Door {
    @Override
    public RequestHandler open(LiveSession session, RequestHead head, Responder responder) {
        return Pages.show(head, responder, "text/plain; charset=utf-8", () -> "ok\n");
    }
}

package dev.sallyport.egress;

import dev.sallyport.http.IgnoredBody;
import dev.sallyport.http.RefusalLog;
import dev.sallyport.http.RequestHandler;
import dev.sallyport.http.RequestHead;
import dev.sallyport.http.Responder;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.Refusal;
import dev.sallyport.session.LiveSession;
import java.util.Map;

/// Doors that are never opened: no request that can be read goes anywhere.
public final class ClosedWebDoors implements WebDoors {
    private final RefusalLog log;

    public ClosedWebDoors(RefusalLog log) {
        this.log = log;
    }

    @Override
    public Connection open(EgressPermit permit, boolean tls) {
        return new Closed();
    }

    private final class Closed implements Connection {
        @Override
        public RequestHandler open(LiveSession session, RequestHead head, Responder responder) {
            String id = RefusalLog.newId();
            log.refused(
                    "http.refused",
                    Refusal.NAME_NOT_ALLOWED,
                    Map.of("id", id, "host", head.host(), "path", head.path()));
            responder.refuse(Refusal.NAME_NOT_ALLOWED, id);
            return new IgnoredBody();
        }

        @Override
        public void close() {}
    }
}

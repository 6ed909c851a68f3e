package dev.sallyport.egress;

import dev.sallyport.http.IgnoredBody;
import dev.sallyport.http.RequestHandler;
import dev.sallyport.http.RequestHead;
import dev.sallyport.http.Responder;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.session.LiveSession;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;

/// Notes what it is asked and answers with nothing.
final class FakeWebDoors implements WebDoors {
    final List<String> opened = new CopyOnWriteArrayList<>();
    final List<String> closed = new CopyOnWriteArrayList<>();
    final List<RequestHead> heads = new CopyOnWriteArrayList<>();

    @Override
    public Connection open(EgressPermit permit, boolean tls) {
        String name = permit.host() + ":" + permit.port() + (tls ? " tls" : "");
        opened.add(name);
        return new Connection() {
            @Override
            public RequestHandler open(LiveSession session, RequestHead head, Responder responder) {
                heads.add(head);
                responder.start(200, Map.of("door", name), OptionalLong.of(0));
                responder.end();
                return new IgnoredBody();
            }

            @Override
            public void close() {
                closed.add(name);
            }
        };
    }
}

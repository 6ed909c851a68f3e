package dev.sallyport.egress;

import dev.sallyport.http.BodyFraming;
import dev.sallyport.http.Door;
import dev.sallyport.http.IgnoredBody;
import dev.sallyport.http.RequestHandler;
import dev.sallyport.http.RequestHead;
import dev.sallyport.http.Responder;
import dev.sallyport.policy.Decision;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.Remedy;
import dev.sallyport.session.LiveSession;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/// The proxy, for one connection of a sandbox that was told to use one. `CONNECT` leaves HTTP and
/// has to go on with TLS, on whatever port, unless a rule allows any protocol; a request in
/// absolute form is plain HTTP and goes to the door of its host. Host must say the same as the
/// target (E3).
public final class ProxyDoor implements Door, AutoCloseable {
    private static final int HTTP_PORT = 80;
    private static final int HTTPS_PORT = 443;

    private final EgressTerms terms;
    private final WebConnections connections;

    public ProxyDoor(EgressTerms terms) {
        this.terms = terms;
        this.connections = new WebConnections(terms.webDoors());
    }

    @Override
    public RequestHandler open(LiveSession session, RequestHead head, Responder responder) {
        boolean connect = head.method().equals("CONNECT");
        String target = head.authority().orElse("");
        Optional<HostAndPort> authority =
                connect ? HostAndPort.parseWithPort(target) : HostAndPort.parse(target, HTTP_PORT);
        if (authority.isEmpty() || (connect && !(head.framing() instanceof BodyFraming.None))) {
            return refused(responder, target, Refusal.BAD_REQUEST);
        }
        Attempt attempt =
                Attempt.of(Attempt.Entrance.PROXY, authority.get().host(), authority.get().port());
        if (!HostAndPort.parse(head.host(), connect ? HTTPS_PORT : HTTP_PORT).equals(authority)) {
            return refused(responder, attempt, Refusal.NAMES_DISAGREE);
        }
        return switch (session.policy().decide(attempt.host(), attempt.port())) {
            case Decision.Deny<EgressPermit>(Refusal refusal) ->
                    refused(responder, attempt, refusal);
            case Decision.Allow<EgressPermit>(EgressPermit permit) ->
                    connect
                            ? connected(responder, attempt, permit.isTcp())
                            : connections
                                    .to(permit, session.policy())
                                    .open(session, withoutProxyFields(head), responder);
        };
    }

    private RequestHandler connected(Responder responder, Attempt attempt, boolean tcp) {
        connections.close();
        responder.takeOver(
                200,
                Map.of(),
                (channel, unread) -> {
                    if (tcp) {
                        TcpConnection.afterConnect(terms, attempt, channel, unread);
                    } else {
                        SecureConnection.afterConnect(terms, attempt, channel, unread);
                    }
                });
        return new IgnoredBody();
    }

    /// What is meant for a proxy is meant for nobody after it.
    private static RequestHead withoutProxyFields(RequestHead head) {
        Map<String, String> fields = new HashMap<>(head.fields());
        fields.keySet().removeIf(name -> name.startsWith("proxy-"));
        return new RequestHead(
                head.method(),
                head.path(),
                head.query(),
                head.authority(),
                head.host(),
                Map.copyOf(fields),
                head.framing(),
                head.expectsContinue(),
                head.keepAlive());
    }

    private RequestHandler refused(Responder responder, Attempt attempt, Refusal refusal) {
        terms.audit().refused(attempt, refusal, Map.of());
        String sandbox = terms.session().get().sandbox();
        responder.refuse(refusal, attempt.id(), Remedy.of(refusal, sandbox, attempt.detail()));
        return new IgnoredBody();
    }

    private RequestHandler refused(Responder responder, String target, Refusal refusal) {
        responder.refuse(refusal, terms.audit().refused(Attempt.Entrance.PROXY, target, refusal));
        return new IgnoredBody();
    }

    /// The sandbox's connection is over.
    @Override
    public void close() {
        connections.close();
    }
}

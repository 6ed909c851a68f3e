package dev.sallyport.egress;

import dev.sallyport.http.BodyFraming;
import dev.sallyport.http.Door;
import dev.sallyport.http.IgnoredBody;
import dev.sallyport.http.RequestHandler;
import dev.sallyport.http.RequestHead;
import dev.sallyport.http.Responder;
import dev.sallyport.policy.Decision;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.Remedy;
import dev.sallyport.session.LiveSession;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.regex.Pattern;

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

    /// The hosts that one proxy connection talks to, one request after the other: a door for each,
    /// and not more than a few at a time. A door that was opened under other rights is not used
    /// again.
    private static final class WebConnections implements AutoCloseable {
        private static final int DOORS_MAX = 8;

        private record Opened(WebDoors.Connection door, Policy policy) {}

        private final WebDoors doors;
        private final SequencedMap<HostAndPort, Opened> open = new LinkedHashMap<>(16, 0.75f, true);

        WebConnections(WebDoors doors) {
            this.doors = doors;
        }

        /// @param policy that the permit is from
        WebDoors.Connection to(EgressPermit permit, Policy policy) {
            HostAndPort key = new HostAndPort(permit.host(), permit.port());
            Opened known = open.get(key);
            if (known != null && known.policy == policy) {
                return known.door;
            }
            if (known != null) {
                open.remove(key);
                known.door.close();
            }
            WebDoors.Connection door = doors.open(permit, false);
            open.put(key, new Opened(door, policy));
            if (open.size() > DOORS_MAX) {
                open.pollFirstEntry().getValue().door.close();
            }
            return door;
        }

        @Override
        public void close() {
            open.values().forEach(opened -> opened.door.close());
            open.clear();
        }
    }

    /// Host and port as `CONNECT`, absolute-form targets and Host write them. There is one
    /// spelling: user information, brackets, addresses in any notation, escapes, a trailing dot and
    /// ports that are empty, zero, too large or begin with a zero are refused.
    record HostAndPort(HostName host, int port) {
        private static final int PORT_MAX = 65_535;
        private static final Pattern PORT = Pattern.compile("[1-9][0-9]{0,4}");

        /// Empty for what is none.
        static Optional<HostAndPort> parse(String text, int portWhenNoneIsWritten) {
            int colon = text.indexOf(':');
            return colon < 0
                    ? host(text).map(host -> new HostAndPort(host, portWhenNoneIsWritten))
                    : parseWithPort(text);
        }

        /// For where the port must be written (RFC 9112, section 3.2.3).
        static Optional<HostAndPort> parseWithPort(String text) {
            int colon = text.indexOf(':');
            if (colon < 0 || !PORT.matcher(text.substring(colon + 1)).matches()) {
                return Optional.empty();
            }
            int port = Integer.parseInt(text.substring(colon + 1));
            return port > PORT_MAX
                    ? Optional.empty()
                    : host(text.substring(0, colon)).map(host -> new HostAndPort(host, port));
        }

        private static Optional<HostName> host(String text) {
            try {
                return Optional.of(HostName.parse(AsciiCase.lower(text)));
            } catch (MalformedNameException e) {
                return Optional.empty();
            }
        }

        @Override
        public String toString() {
            return host + ":" + port;
        }
    }
}

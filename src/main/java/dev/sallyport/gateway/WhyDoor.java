package dev.sallyport.gateway;

import dev.sallyport.http.Door;
import dev.sallyport.http.IgnoredBody;
import dev.sallyport.http.RefusalLog;
import dev.sallyport.http.RequestHandler;
import dev.sallyport.http.RequestHead;
import dev.sallyport.http.Responder;
import dev.sallyport.policy.Decision;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.Remedy;
import dev.sallyport.session.LiveSession;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Tells those inside why something was denied, and what the person who runs the sandbox can do:
/// `/why` for the latest denials of this session, `/why?host=NAME` for one host. Everything in it
/// they know or have asked for themselves.
final class WhyDoor implements Door {
    private static final String HOST = "host=";
    private static final int HTTPS_PORT = 443;

    private final Denials denials;

    WhyDoor(Denials denials) {
        this.denials = denials;
    }

    @Override
    public RequestHandler open(LiveSession session, RequestHead head, Responder responder) {
        String query = head.query();
        if (query.isEmpty()) {
            return Pages.show(head, responder, Pages.TEXT, () -> latest(session));
        }
        Optional<HostName> host = host(query);
        if (host.isEmpty()) {
            responder.refuse(Refusal.BAD_REQUEST, RefusalLog.newId());
            return new IgnoredBody();
        }
        return Pages.show(head, responder, Pages.TEXT, () -> about(session, host.get()));
    }

    private static Optional<HostName> host(String query) {
        try {
            return query.startsWith(HOST)
                    ? Optional.of(HostName.parse(query.substring(HOST.length())))
                    : Optional.empty();
        } catch (MalformedNameException _) {
            return Optional.empty();
        }
    }

    private static String about(LiveSession session, HostName host) {
        return switch (session.policy().decide(host, HTTPS_PORT)) {
            case Decision.Allow<EgressPermit>(EgressPermit permit) ->
                    host + " is allowed on port 443" + terms(permit) + "\n";
            case Decision.Deny<EgressPermit>(Refusal refusal) ->
                    host
                            + ": "
                            + refusal.sentence()
                            + "\n"
                            + told(
                                    Remedy.of(
                                            refusal,
                                            session.sandbox(),
                                            Map.of("host", host.value(), "port", "443")));
        };
    }

    private static String terms(EgressPermit permit) {
        boolean inspected = permit.inspection().isPresent();
        String asked =
                permit.asks()
                        ? "; each %s waits until a person says yes"
                                .formatted(inspected ? "request" : "connection")
                        : "";
        String checked =
                inspected ? "; requests are checked, see http://gateway.sallyport/policy" : "";
        return asked + checked;
    }

    private String latest(LiveSession session) {
        List<Denials.Denial> latest = denials.of(session.id().value());
        if (latest.isEmpty()) {
            return "no recent denials\n";
        }
        StringBuilder page = new StringBuilder("Recent denials, newest last:\n");
        for (Denials.Denial denial : latest) {
            page.append(printable(denial.subject())).append(": ").append(denial.reason());
            page.append('\n').append(told(denial.remedy(session.sandbox())));
        }
        return page.toString();
    }

    private static String told(Optional<Remedy> remedy) {
        return remedy.map(r -> "  " + r.forSandbox() + "\n").orElse("");
    }

    /// It is the sandbox's own text, and ends a line only where we do.
    private static String printable(String text) {
        return text.chars()
                .map(c -> c < ' ' || c == 0x7f ? '?' : c)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }
}

package dev.sallyport.upstream;

import dev.sallyport.http.BodyFraming;
import dev.sallyport.policy.EgressPermit;
import java.util.Map;

/// One request to a permitted host besides git, made of parts that the door checked.
///
/// @param permit says which host is dialled, and which secret is injected
/// @param tls whether the host is spoken TLS with
/// @param target path and query, both rebuilt
/// @param fields those that are passed on; host, framing and whatever is about the connection are
///   added here
/// @param websocket whether the connection is asked to go on as a WebSocket
public record WebOrder(
        EgressPermit permit,
        boolean tls,
        String method,
        String target,
        Map<String, String> fields,
        BodyFraming framing,
        boolean websocket) {
    private static final int HTTP_PORT = 80;
    private static final int HTTPS_PORT = 443;

    public WebOrder {
        fields = Map.copyOf(fields);
    }

    /// Whether a body follows the head.
    public boolean hasBody() {
        return switch (framing) {
            case BodyFraming.None _ -> false;
            case BodyFraming.Sized(long bytes) -> bytes > 0;
            case BodyFraming.Chunked _ -> true;
        };
    }

    /// The value of Host (RFC 9110, section 7.2).
    String authority() {
        String host = permit.host().value();
        boolean usual = permit.port() == (tls ? HTTPS_PORT : HTTP_PORT);
        return usual ? host : host + ":" + permit.port();
    }

    /// Whether a connection that was made for the other order serves this one as well.
    boolean goesWhere(WebOrder other) {
        return tls == other.tls
                && permit.session().equals(other.permit.session())
                && permit.host().equals(other.permit.host())
                && permit.port() == other.permit.port()
                && permit.reach().equals(other.permit.reach());
    }
}

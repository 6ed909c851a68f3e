package dev.sallyport.egress;

import dev.sallyport.http.RequestHead;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.Inspection;
import dev.sallyport.policy.Refusal;
import java.util.Locale;
import java.util.Optional;

/// Whether a request wants to leave HTTP/1.1 (E17).
enum Upgrade {
    NONE,
    /// HTTP/2 without TLS, which clients offer with ordinary requests; whoever does not speak it
    /// goes on as if nothing had been said (RFC 9110, section 7.8).
    IGNORED,
    WEBSOCKET,
    UNKNOWN;

    static Upgrade of(RequestHead head) {
        Optional<String> wanted = head.field("upgrade");
        if (wanted.isEmpty()) {
            return NONE;
        }
        return switch (wanted.get().toLowerCase(Locale.ROOT)) {
            case "h2c" -> IGNORED;
            case "websocket" -> WebSocket.isAskedFor(head) ? WEBSOCKET : UNKNOWN;
            default -> UNKNOWN;
        };
    }

    Optional<Refusal> objection(EgressPermit permit) {
        boolean fits =
                switch (this) {
                    case NONE, IGNORED -> true;
                    case WEBSOCKET ->
                            !permit.asks()
                                    && permit.inspection().filter(Upgrade::takes).isPresent();
                    case UNKNOWN -> false;
                };
        return fits ? Optional.empty() : Optional.of(Refusal.UPGRADE_NOT_ALLOWED);
    }

    /// What is said in a WebSocket is not read, so it is none for rules about what is said.
    private static boolean takes(Inspection rule) {
        return rule.websocket() && rule.json().isEmpty();
    }
}

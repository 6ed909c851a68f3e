package dev.sallyport.egress;

import dev.sallyport.http.RequestHead;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.Refusal;
import java.util.Optional;

/// Whether a request wants to leave HTTP/1.1 (E17).
enum Upgrade {
    NONE,
    /// HTTP/2 without TLS, which clients offer with ordinary requests; whoever does not speak it
    /// goes on as if nothing had been said (RFC 9110, section 7.8).
    IGNORED,
    UNKNOWN;

    static Upgrade of(RequestHead head) {
        Optional<String> wanted = head.field("upgrade");
        if (wanted.isEmpty()) {
            return NONE;
        }
        return wanted.get().equalsIgnoreCase("h2c") ? IGNORED : UNKNOWN;
    }

    Optional<Refusal> objection(EgressPermit permit) {
        return switch (this) {
            case NONE, IGNORED -> Optional.empty();
            case UNKNOWN -> Optional.of(Refusal.UPGRADE_NOT_ALLOWED);
        };
    }
}

package dev.sallyport.egress;

import dev.sallyport.http.RefusalLog;
import dev.sallyport.policy.Decision;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.Reach;
import dev.sallyport.policy.Refusal;
import dev.sallyport.session.LiveSession;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/// One connection that a sandbox wants to a host, and how it came in.
///
/// @param id under which everything that becomes of it is found in the record
record Attempt(Entrance entrance, HostName host, int port, String id) {
    /// Where connections come in.
    enum Entrance {
        /// On the address that stands for the host's name.
        TRANSPARENT("transparent"),
        /// Through the proxy.
        PROXY("proxy");

        private final String label;

        Entrance(String label) {
            this.label = label;
        }

        String label() {
            return label;
        }
    }

    static Attempt of(Entrance entrance, HostName host, int port) {
        return new Attempt(entrance, host, port, RefusalLog.newId());
    }

    /// Why it is not permitted now in the way it was, if it is not.
    ///
    /// @param reach how it was permitted to be reached
    /// @param change why it cannot go on under another permit, if it cannot
    Optional<Refusal> objection(
            LiveSession now, Reach reach, Function<EgressPermit, Optional<Refusal>> change) {
        return switch (now.policy().decide(host, port)) {
            case Decision.Deny<EgressPermit>(Refusal refusal) -> Optional.of(refusal);
            case Decision.Allow<EgressPermit>(EgressPermit held) ->
                    change.apply(held)
                            .or(
                                    () ->
                                            held.reach().equals(reach)
                                                    ? Optional.empty()
                                                    : Optional.of(Refusal.ADDRESS_NOT_ALLOWED));
        };
    }

    /// As details of an event.
    Map<String, String> detail() {
        Map<String, String> detail = new TreeMap<>();
        detail.put("id", id);
        detail.put("host", host.value());
        detail.put("port", Integer.toString(port));
        detail.put("door", entrance.label());
        return detail;
    }
}

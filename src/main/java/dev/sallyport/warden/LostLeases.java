package dev.sallyport.warden;

import dev.sallyport.policy.SessionId;
import dev.sallyport.session.Session;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/// Closes the doors of a session that this gateway may not serve any more. Its sandbox runs on; the
/// doors are tried again like others that could not be opened.
record LostLeases(GatewayLink link, Remarks remarks, Ledger ledger) implements Consumer<SessionId> {
    /// Asks the store nothing: it may be what is missing.
    @Override
    public void accept(SessionId id) {
        Optional<Session> session = link.session(id);
        link.detach(id);
        if (session.isPresent()
                && remarks.put(
                        id, Remarks.Topic.DOORS, SandboxSteps.NO_DOORS + GatewayLink.UNATTACHED)) {
            ledger.note(
                    "session.reattach-failed",
                    session.get(),
                    Map.of("reason", GatewayLink.UNATTACHED));
        }
    }
}

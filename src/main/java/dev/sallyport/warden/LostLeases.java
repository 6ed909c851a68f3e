package dev.sallyport.warden;

import dev.sallyport.policy.SessionId;
import dev.sallyport.session.Session;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/// Closes the doors of a session that this gateway may not serve any more. Its sandbox runs on; the
/// doors are tried again like others that could not be opened.
record LostLeases(Doors doors, Remarks remarks, Ledger ledger) implements Consumer<SessionId> {
    /// Why a sandbox has no doors then.
    static final String REASON =
            "the session store does not answer, or its session is attached to another gateway";

    /// Asks the store nothing: it may be what is missing.
    @Override
    public void accept(SessionId id) {
        Optional<Session> session = doors.session(id);
        doors.close(id);
        if (session.isPresent()
                && remarks.put(id, Remarks.Topic.DOORS, SandboxSteps.NO_DOORS + REASON)) {
            ledger.note("session.reattach-failed", session.get(), Map.of("reason", REASON));
        }
    }
}

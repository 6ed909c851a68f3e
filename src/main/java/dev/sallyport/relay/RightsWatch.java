package dev.sallyport.relay;

import dev.sallyport.policy.Policy;
import dev.sallyport.session.LiveSession;
import java.util.Optional;
import java.util.function.Supplier;

/// Notices that the rights of a session are others than those that something was allowed with.
public final class RightsWatch {
    private final Supplier<LiveSession> session;
    private Policy known;

    /// @param session asked anew, so that changed rights hold for what is running, too
    /// @param known what it was allowed with
    public RightsWatch(Supplier<LiveSession> session, Policy known) {
        this.session = session;
        this.known = known;
    }

    /// The session as it is now, if its rights have changed since the last look.
    public Optional<LiveSession> changed() {
        LiveSession now = session.get();
        if (now.policy() == known) {
            return Optional.empty();
        }
        known = now.policy();
        return Optional.of(now);
    }
}

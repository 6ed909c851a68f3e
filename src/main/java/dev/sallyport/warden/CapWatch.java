package dev.sallyport.warden;

import dev.sallyport.policy.SessionId;
import dev.sallyport.sandbox.Nudges;
import dev.sallyport.session.Usage;

/// Ends a session as soon as its caps are used up, rather than when somebody looks.
final class CapWatch {
    private static final System.Logger LOG = System.getLogger(CapWatch.class.getName());

    private final Sandboxes sandboxes;
    private final UsageBuffer usage;
    private final GatewayLink link;
    private final Nudges checks = new Nudges(this::check);

    CapWatch(Sandboxes sandboxes, UsageBuffer usage, GatewayLink link) {
        this.sandboxes = sandboxes;
        this.usage = usage;
        this.link = link;
    }

    /// Most sessions have no caps; for them this costs nothing.
    void used(SessionId session) {
        if (link.session(session).filter(live -> !live.caps().isEmpty()).isPresent()) {
            checks.nudge(session);
        }
    }

    /// A store that does not answer is no reason to end a session for good.
    private void check(SessionId session) {
        Usage total = usage.total(session);
        if (total.equals(Usage.UNKNOWN)) {
            return;
        }
        try {
            sandboxes.expire(session, total);
        } catch (OperationException e) {
            LOG.log(System.Logger.Level.ERROR, session + " may go on beyond its caps", e);
        }
    }
}

package dev.sallyport.warden;

import dev.sallyport.session.Session;
import java.time.Instant;

/// What is looked after every minute: sessions whose time is over, and ends that no event told of.
/// It looks instead of sleeping until the moment, so that a suspended machine or a changed clock
/// delays an end by a minute at most.
record Upkeep(Sandboxes sandboxes, UsageBuffer usage) {
    private static final System.Logger LOG = System.getLogger(Upkeep.class.getName());

    void run() {
        usage.flush();
        try {
            for (Session session : sandboxes.list()) {
                sandboxes.ended(session.id());
                if (session.state() == Session.State.RUNNING
                        && session.lifetime().isOver(Instant.now())) {
                    sandboxes.expire(session);
                }
            }
        } catch (OperationException | RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "expired sessions may still run", e);
        }
    }
}

package dev.sallyport.warden;

import dev.sallyport.session.Session;
import java.time.Instant;

/// Ends sessions whose time is over. It looks every minute instead of sleeping until the moment, so
/// that a suspended machine or a changed clock delays an end by a minute at most.
record Expiry(Sandboxes sandboxes, UsageBuffer usage) {
    private static final System.Logger LOG = System.getLogger(Expiry.class.getName());

    void run() {
        usage.flush();
        try {
            for (Session session : sandboxes.list()) {
                if (session.state() == Session.State.RUNNING
                        && session.lifetime().isOver(Instant.now())) {
                    sandboxes.expire(session);
                }
            }
        } catch (OperationException e) {
            LOG.log(System.Logger.Level.ERROR, "expired sessions may still run", e);
        }
    }
}

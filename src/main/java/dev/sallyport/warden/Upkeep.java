package dev.sallyport.warden;

import dev.sallyport.session.Session;
import dev.sallyport.session.Usage;

/// What is looked after every minute: sessions whose time is over, and changes that no event told
/// of. It looks instead of sleeping until the moment, so that a suspended machine or a changed
/// clock delays an end by a minute at most.
record Upkeep(Sandboxes sandboxes, UsageBuffer usage) {
    private static final System.Logger LOG = System.getLogger(Upkeep.class.getName());

    void run() {
        flush();
        try {
            for (Session session : sandboxes.list()) {
                look(session);
            }
        } catch (OperationException | RuntimeException | OutOfMemoryError e) {
            // Whatever is thrown out of here would be the end of all looking.
            LOG.log(System.Logger.Level.ERROR, "expired sessions may still run", e);
        }
    }

    private void flush() {
        try {
            usage.flush();
        } catch (RuntimeException | OutOfMemoryError e) {
            LOG.log(System.Logger.Level.ERROR, "usage is not written", e);
        }
    }

    /// One that fails does not keep the others from ending.
    private void look(Session session) {
        try {
            Usage used = usage.total(session.id());
            sandboxes.passTime(session.id(), used);
            sandboxes.expire(session.id(), used);
            sandboxes.check(session.id());
        } catch (OperationException | RuntimeException | OutOfMemoryError e) {
            LOG.log(
                    System.Logger.Level.ERROR,
                    "may be expired and still run: " + session.name(),
                    e);
        }
    }
}

package dev.sallyport.warden;

import dev.sallyport.policy.SessionId;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// Ties ephemeral sandboxes to control connections: a sandbox whose connection is gone is
/// destroyed. Closing a socket is the one thing that even a killed command line does.
final class Leases {
    private static final System.Logger LOG = System.getLogger(Leases.class.getName());

    /// How long the sandboxes of an earlier warden wait for their command line to come back.
    static final Duration GRACE = Duration.ofSeconds(10);

    /// What a lease hangs on. Once closed it stays closed.
    interface Holder {
        boolean isOpen();
    }

    /// How a session is ended.
    interface Ending {
        void destroy(SessionId session) throws OperationException;
    }

    private final Ending ending;
    private final Map<SessionId, Holder> holders = new ConcurrentHashMap<>();

    Leases(Ending ending) {
        this.ending = ending;
    }

    /// From now on the sandbox lives as long as `holder`, which may be over already.
    void hold(SessionId session, Holder holder) {
        holders.put(session, holder);
        if (!holder.isOpen()) {
            release(holder);
        }
    }

    boolean holdsAny(Holder holder) {
        return holders.containsValue(holder);
    }

    /// The holder is gone, and with it all that hung on it. Blocks.
    void release(Holder holder) {
        holders.forEach(
                (session, current) -> {
                    if (current.equals(holder) && holders.remove(session, current)) {
                        destroy(session);
                    }
                });
    }

    /// For a sandbox that survived its warden.
    void awaitHolder(SessionId session) {
        Holder nobody = () -> true;
        holders.put(session, nobody);
        Thread.ofVirtual()
                .name("lease-of-" + session)
                .start(
                        () -> {
                            try {
                                Thread.sleep(GRACE);
                                release(nobody);
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                            }
                        });
    }

    private void destroy(SessionId session) {
        try {
            ending.destroy(session);
        } catch (OperationException e) {
            LOG.log(System.Logger.Level.ERROR, "not destroyed with its lease: " + session, e);
        }
    }
}

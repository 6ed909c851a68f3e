package dev.sallyport.warden;

import dev.sallyport.policy.SessionId;
import dev.sallyport.session.Session;
import dev.sallyport.session.SessionStore;
import dev.sallyport.session.StoreException;
import dev.sallyport.session.Usage;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// Collects what sessions used and writes it to the store once a second, so that a busy sandbox
/// does not cost one disk write per request.
final class UsageBuffer {
    private static final System.Logger LOG = System.getLogger(UsageBuffer.class.getName());

    private final SessionStore store;
    private final Map<SessionId, Usage> pending = new ConcurrentHashMap<>();

    UsageBuffer(SessionStore store) {
        this.store = store;
    }

    void add(SessionId session, Usage used) {
        pending.merge(session, used, Usage::plus);
    }

    /// All that a session has used, whether it is in the store yet or not.
    Usage total(SessionId session) {
        Usage waiting = pending.getOrDefault(session, Usage.NONE);
        try {
            return store.byId(session).map(Session::usage).orElse(Usage.NONE).plus(waiting);
        } catch (StoreException e) {
            LOG.log(System.Logger.Level.ERROR, "usage of " + session + " cannot be read", e);
            return Usage.UNKNOWN;
        }
    }

    void flush() {
        for (SessionId session : Set.copyOf(pending.keySet())) {
            Usage used = pending.remove(session);
            if (used != null) {
                write(session, used);
            }
        }
    }

    private void write(SessionId session, Usage used) {
        try {
            store.recordUse(session, used, Instant.now());
        } catch (StoreException e) {
            LOG.log(System.Logger.Level.ERROR, "usage of " + session + " is lost", e);
        }
    }
}

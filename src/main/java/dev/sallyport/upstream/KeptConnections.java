package dev.sallyport.upstream;

import dev.sallyport.config.Limits;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.function.Predicate;

/// The connections that rest between two requests, the one that has rested longest first. They are
/// few, so that looking through all of them costs less than a table of them would.
final class KeptConnections {
    private final Limits.Upstream limits;
    private final SequencedSet<Connection> resting = new LinkedHashSet<>();

    KeptConnections(Limits.Upstream limits) {
        this.limits = limits;
    }

    /// One that has served a request with this key, completely and with nothing left over. Called
    /// on the key's event loop.
    ///
    /// @param brief whether it must not have rested for more than a moment
    synchronized Optional<Connection> take(ConnectionKey key, boolean brief) {
        if (!key.holds()) {
            return Optional.empty();
        }
        for (Connection one : resting.reversed()) {
            if (one.key().isFor(key) && one.isFresh(brief)) {
                resting.remove(one);
                return Optional.of(one);
            }
        }
        return Optional.empty();
    }

    /// Called on the connection's event loop, when it has begun to rest.
    void keep(Connection connection) {
        List<Connection> surplus = new ArrayList<>();
        synchronized (this) {
            if (!connection.key().holds() || !connection.isFresh(false)) {
                surplus.add(connection);
            } else {
                resting.add(connection);
                evict(
                        one -> one.key().session().equals(connection.key().session()),
                        limits.keptConnectionsPerSandboxMax(),
                        surplus);
                evict(_ -> true, limits.keptConnectionsTotalMax(), surplus);
            }
        }
        surplus.forEach(Connection::closeSoon);
    }

    private void evict(Predicate<Connection> which, int max, List<Connection> evicted) {
        long excess = resting.stream().filter(which).count() - max;
        Iterator<Connection> all = resting.iterator();
        while (excess > 0) {
            Connection oldest = all.next();
            if (which.test(oldest)) {
                all.remove();
                evicted.add(oldest);
                excess--;
            }
        }
    }

    /// It is closed.
    synchronized void gone(Connection connection) {
        resting.remove(connection);
    }

    /// Closes those whose session, rights or lane is over.
    void sweep() {
        List<Connection> over;
        synchronized (this) {
            over = resting.stream().filter(one -> !one.key().holds()).toList();
            over.forEach(resting::remove);
        }
        over.forEach(Connection::closeSoon);
    }
}

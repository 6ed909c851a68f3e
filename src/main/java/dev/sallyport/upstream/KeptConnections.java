package dev.sallyport.upstream;

import dev.sallyport.config.Limits;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.SequencedSet;

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
        added(connection).ifPresent(Connection::closeSoon);
    }

    /// The one that has to go for it.
    private synchronized Optional<Connection> added(Connection connection) {
        if (!connection.key().holds() || !connection.isFresh(false)) {
            return Optional.of(connection);
        }
        resting.add(connection);
        int ofSandbox = 0;
        Connection oldestOfSandbox = connection;
        for (Connection one : resting.reversed()) {
            if (one.key().session().equals(connection.key().session())) {
                ofSandbox++;
                oldestOfSandbox = one;
            }
        }
        if (ofSandbox > limits.keptConnectionsPerSandboxMax()) {
            resting.remove(oldestOfSandbox);
            return Optional.of(oldestOfSandbox);
        }
        return resting.size() > limits.keptConnectionsTotalMax()
                ? Optional.of(resting.removeFirst())
                : Optional.empty();
    }

    synchronized int size() {
        return resting.size();
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

package dev.sallyport.warden;

import dev.sallyport.policy.SessionId;
import dev.sallyport.session.Session;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// Sessions that were somebody else's until now, and have no doors here yet.
final class Arrivals {
    /// The one that this thread brings.
    private static final ScopedValue<SessionId> BRINGING = ScopedValue.newInstance();

    /// What an earlier warden made and nobody has taken over yet, by name.
    private final Map<String, SessionId> expected = new ConcurrentHashMap<>();

    /// What another gateway had and is not whole here yet.
    private final Set<SessionId> arriving = ConcurrentHashMap.newKeySet();

    /// Says that a sandbox of an earlier warden is to be taken over, before anything else happens
    /// to it.
    void expect(Session session) {
        expected.put(session.name(), session.id());
    }

    /// Whether an earlier warden's doors are gone and ours are not there yet.
    boolean isExpected(Session session) {
        return expected.containsKey(session.name());
    }

    /// Which session of this name is to be taken over.
    Optional<SessionId> expected(String name) {
        return Optional.ofNullable(expected.get(name));
    }

    void tookOver(String name) {
        expected.remove(name);
    }

    /// Brings a session from another gateway. Nobody else finds it before that is done: it may have
    /// rights that it does not have here.
    Session bring(SessionId id, NameLocks.Work<Session> work) throws OperationException {
        arriving.add(id);
        try {
            return ScopedValue.where(BRINGING, id).call(work::run);
        } finally {
            arriving.remove(id);
        }
    }

    /// Whether it is there for whoever asks.
    boolean isThere(Session session) {
        return !arriving.contains(session.id())
                || (BRINGING.isBound() && BRINGING.get().equals(session.id()));
    }
}

package dev.sallyport.warden;

import dev.sallyport.policy.SessionId;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/// What a person should know about who runs in a sandbox's place: the last remark on each, so that
/// one impostor is one line in the record.
final class Remarks {
    private final Map<SessionId, String> last = new ConcurrentHashMap<>();

    Optional<String> on(SessionId id) {
        return Optional.ofNullable(last.get(id));
    }

    /// Keeps it, and returns whether it is another one than before.
    boolean put(SessionId id, String remark) {
        return !remark.equals(last.put(id, remark));
    }

    void forget(SessionId id) {
        last.remove(id);
    }
}

package dev.sallyport.warden;

import dev.sallyport.policy.SessionId;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/// What a person should know about a sandbox that is not as it should be: the last remark of each
/// kind, so that one trouble is one line in the record.
final class Remarks {
    enum Topic {
        /// Who runs in its place.
        PLACE,
        /// Why it runs without doors.
        DOORS,
        /// Why its end is not in the store. Until it is, nothing gives it doors again.
        END,
        /// How large its home has become.
        HOME,
        /// Why it lacks tokens of a GitHub App.
        TOKENS,
        /// What is wrong with the way to its gateway on another machine.
        GATEWAY
    }

    private final Map<SessionId, Map<Topic, String>> last = new ConcurrentHashMap<>();

    List<String> on(SessionId id) {
        return List.copyOf(last.getOrDefault(id, Map.of()).values());
    }

    boolean has(SessionId id, Topic topic) {
        return last.getOrDefault(id, Map.of()).containsKey(topic);
    }

    /// Keeps it, and returns whether it is another one than before.
    boolean put(SessionId id, Topic topic, String remark) {
        Map<Topic, String> before = last.getOrDefault(id, Map.of());
        last.merge(id, Map.of(topic, remark), Remarks::joined);
        return !remark.equals(before.get(topic));
    }

    /// Keeps it, or forgets the one before when there is none.
    void set(SessionId id, Topic topic, Optional<String> remark) {
        remark.ifPresentOrElse(text -> put(id, topic, text), () -> forget(id, topic));
    }

    private static Map<Topic, String> joined(Map<Topic, String> old, Map<Topic, String> more) {
        Map<Topic, String> all = new EnumMap<>(old);
        all.putAll(more);
        return Map.copyOf(all);
    }

    void forget(SessionId id, Topic topic) {
        last.computeIfPresent(
                id,
                (_, old) -> {
                    Map<Topic, String> left = new EnumMap<>(old);
                    left.remove(topic);
                    return left.isEmpty() ? null : Map.copyOf(left);
                });
    }

    void forget(SessionId id) {
        last.remove(id);
    }

    /// The sessions with a remark of this kind.
    Set<SessionId> with(Topic topic) {
        return last.entrySet().stream()
                .filter(entry -> entry.getValue().containsKey(topic))
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }
}

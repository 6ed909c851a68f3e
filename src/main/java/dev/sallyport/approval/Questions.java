package dev.sallyport.approval;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The questions that are open, oldest first. Each is answered once, in time, by somebody who was
/// shown exactly it, or not at all. Not for several threads.
public final class Questions {
    private final Map<String, OpenQuestion> open = new LinkedHashMap<>();

    /// Whether there is room for it; otherwise it is not there.
    public boolean add(OpenQuestion asked, int perSessionMax, int totalMax) {
        long ofSession =
                open.values().stream()
                        .filter(other -> other.session().equals(asked.session()))
                        .count();
        if (open.size() >= totalMax || ofSession >= perSessionMax) {
            return false;
        }
        return open.putIfAbsent(asked.id(), asked) == null;
    }

    /// All that are here, in time or not.
    public List<OpenQuestion> all() {
        return List.copyOf(open.values());
    }

    /// Empty when it was answered, is too late, or never was there.
    public Optional<OpenQuestion> find(String id, Duration now) {
        return Optional.ofNullable(open.get(id)).filter(asked -> !asked.isDue(now));
    }

    /// Whether an answer is one to this question as it is.
    public static boolean isTo(OpenQuestion asked, Answer answer) {
        return MessageDigest.isEqual(
                asked.digest().getBytes(StandardCharsets.US_ASCII),
                answer.digest().getBytes(StandardCharsets.US_ASCII));
    }

    /// It is open no longer; whether it was.
    public boolean remove(OpenQuestion asked) {
        return open.remove(asked.id(), asked);
    }

    /// Those for which it is too late, and that are still here.
    public List<OpenQuestion> due(Duration now) {
        return open.values().stream().filter(asked -> asked.isDue(now)).toList();
    }
}

package dev.sallyport.approval;

import java.time.Duration;
import java.time.Instant;

/// A question that waits for an answer.
///
/// @param id random; says which one is meant, and gives nobody a right
/// @param digest see [Question#digest]
/// @param asked for people
/// @param due when it is too late, on a clock that nobody can set
public record OpenQuestion(
        String id,
        String session,
        Question question,
        String digest,
        Instant asked,
        Duration patience,
        Duration due) {
    private static final String FORM = "[a-z2-9]{10}";

    public OpenQuestion {
        if (!id.matches(FORM)) {
            throw new IllegalArgumentException("an id has ten letters and digits");
        }
    }

    /// When it is too late, for people.
    public Instant expires() {
        return asked.plus(patience);
    }

    /// Whether it is too late for an answer.
    public boolean isDue(Duration now) {
        return due.compareTo(now) <= 0;
    }
}

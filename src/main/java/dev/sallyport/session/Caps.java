package dev.sallyport.session;

import java.util.List;
import java.util.Optional;

/// How much a session may use before it ends early. Each is the person's choice; what holds without
/// one is `config.Limits`.
///
/// @param bytes up and down together
public record Caps(Optional<Long> requests, Optional<Long> bytes, Optional<Long> pushes) {
    public static final Caps NONE = new Caps(Optional.empty(), Optional.empty(), Optional.empty());

    private static final int WARNING_PERCENT = 90;

    public Caps {
        if (requests.orElse(1L) < 1 || bytes.orElse(1L) < 1 || pushes.orElse(1L) < 1) {
            throw new IllegalArgumentException("a cap is at least 1");
        }
    }

    /// One of them beside what was used of it.
    private record Row(String unit, Optional<Long> cap, long used) {
        boolean atPercent(int percent) {
            return cap.isPresent() && used >= cap.get() / 100.0 * percent;
        }

        String text() {
            return used + " of " + cap.orElse(0L) + " " + unit;
        }
    }

    private List<Row> rows(Usage used) {
        return List.of(
                new Row("requests", requests, used.requests()),
                new Row("bytes", bytes, used.bytes()),
                new Row("pushes", pushes, used.pushes()));
    }

    public boolean isEmpty() {
        return equals(NONE);
    }

    /// The first that is used up, as in `100 of 100 requests`.
    public Optional<String> reached(Usage used) {
        return rows(used).stream().filter(row -> row.atPercent(100)).map(Row::text).findFirst();
    }

    /// Those that are nearly used up.
    public List<String> closing(Usage used) {
        return rows(used).stream()
                .filter(row -> row.atPercent(WARNING_PERCENT))
                .map(Row::text)
                .toList();
    }
}

package dev.sallyport.cli;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A time as a person types it: so long ago, a day, or a day and a time.
final class TimeText {
    private static final Pattern AGO = Pattern.compile("([0-9]{1,6})([smhdw])");
    private static final Map<String, Duration> UNITS =
            Map.of(
                    "s", Duration.ofSeconds(1),
                    "m", Duration.ofMinutes(1),
                    "h", Duration.ofHours(1),
                    "d", Duration.ofDays(1),
                    "w", Duration.ofDays(7));

    private TimeText() {}

    /// Empty when it is no time. A day without a time begins at midnight in `zone`.
    static Optional<Instant> parse(String text, Instant now, ZoneId zone) {
        Matcher ago = AGO.matcher(text);
        if (ago.matches()) {
            Duration unit = UNITS.getOrDefault(ago.group(2), Duration.ZERO);
            return Optional.of(now.minus(unit.multipliedBy(Long.parseLong(ago.group(1)))));
        }
        LocalDate today = LocalDate.ofInstant(now, zone);
        try {
            return Optional.of(
                    switch (text) {
                        case "today" -> today.atStartOfDay(zone).toInstant();
                        case "yesterday" -> today.minusDays(1).atStartOfDay(zone).toInstant();
                        default -> exact(text, zone);
                    });
        } catch (DateTimeException _) {
            return Optional.empty();
        }
    }

    private static Instant exact(String text, ZoneId zone) {
        if (text.endsWith("Z")) {
            return Instant.parse(text);
        }
        return text.contains("T")
                ? LocalDateTime.parse(text).atZone(zone).toInstant()
                : LocalDate.parse(text).atStartOfDay(zone).toInstant();
    }
}

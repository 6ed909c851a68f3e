package dev.sallyport.cli;

import dev.sallyport.audit.AuditFilter;
import dev.sallyport.audit.AuditLine;
import dev.sallyport.audit.AuditReader;
import dev.sallyport.control.ControlException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Which lines of which log a command is about.
final class AuditFilterOptions {
    @Option(names = "--session", paramLabel = "ID", description = "Only this session.")
    private @Nullable String session;

    @Option(
            names = "--sandbox",
            paramLabel = "NAME",
            description = "Only sandboxes of this name, also removed ones.")
    private @Nullable String sandbox;

    @Option(names = "--denied", description = "Only what was denied.")
    private boolean denied;

    @Option(names = "--allowed", description = "Only what was allowed.")
    private boolean allowed;

    @Option(
            names = "--id",
            paramLabel = "ID",
            description = "Only the request whose denial shows this id.")
    private @Nullable String id;

    @Option(
            names = "--target",
            paramLabel = "TEXT",
            description = "Only hosts, repositories, refs and paths that contain this text.")
    private @Nullable String target;

    @Option(
            names = "--since",
            paramLabel = "TIME",
            description =
                    "Only lines of this time or later: 2h, 3d, yesterday, 2026-01-31, 2026-01-31T08:00.")
    private @Nullable String since;

    @Option(names = "--until", paramLabel = "TIME", description = "Only lines before this time.")
    private @Nullable String until;

    @Option(names = "--last", paramLabel = "N", description = "Only the last N matching lines.")
    private @Nullable Integer last;

    @Option(
            names = "--file",
            paramLabel = "PATH",
            description = "Read this log instead of the one in SALLYPORT_HOME.")
    private @Nullable Path file;

    void read(Output output, Consumer<AuditLine> sink)
            throws IOException, ControlException, CliException {
        if (file == null) {
            new Recorded(output).read(filter(), sink);
        } else {
            AuditReader.read(AuditCommands.log(output, file), filter(), sink);
        }
    }

    private AuditFilter filter() throws CliException {
        if (denied && allowed) {
            throw refused("--denied and --allowed exclude each other");
        }
        try {
            return new AuditFilter(
                    Optional.ofNullable(session),
                    Optional.ofNullable(sandbox),
                    denied
                            ? Optional.of("deny")
                            : allowed ? Optional.of("allow") : Optional.empty(),
                    Optional.ofNullable(id),
                    Optional.ofNullable(target),
                    time("--since", since),
                    time("--until", until),
                    last == null ? OptionalInt.empty() : OptionalInt.of(last));
        } catch (IllegalArgumentException e) {
            throw refused("--last: " + e.getMessage());
        }
    }

    private static Optional<Instant> time(String option, @Nullable String text)
            throws CliException {
        if (text == null) {
            return Optional.empty();
        }
        return Optional.of(
                TimeText.parse(text, Instant.now(), ZoneId.systemDefault())
                        .orElseThrow(
                                () ->
                                        refused(
                                                "%s: '%s' is not a time such as 2h, 3d, yesterday, 2026-01-31 or 2026-01-31T08:00"
                                                        .formatted(option, text))));
    }

    private static CliException refused(String what) {
        return ExitCode.USAGE.because("bad-filter", what + ".", "");
    }

    /// A time as a person types it: so long ago, a day, or a day and a time.
    static final class TimeText {
        private static final Pattern AGO = Pattern.compile("([0-9]{1,6})([smhdw])");
        private static final Map<String, Duration> UNITS =
                Map.of(
                        "s", Duration.ofSeconds(1),
                        "m", Duration.ofMinutes(1),
                        "h", Duration.ofHours(1),
                        "d", Duration.ofDays(1),
                        "w", Duration.ofDays(7));

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
}

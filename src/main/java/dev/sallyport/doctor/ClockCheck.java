package dev.sallyport.doctor;

import dev.sallyport.audit.AuditReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/// Whether the clock is behind what has already happened: sessions end by it, and certificates are
/// judged by it.
///
/// @param program file that this program was started from
record ClockCheck(InstantSource clock, Path auditLog, Path program) implements Check {
    private static final Duration SLACK = Duration.ofMinutes(1);
    private static final String REMEDY = "Set the clock, or turn on NTP: timedatectl set-ntp true";

    @Override
    public List<Finding> look() {
        Instant now = clock.instant();
        try {
            Optional<Instant> recorded = AuditReader.newest(auditLog);
            if (recorded.isPresent() && isBehind(now, recorded.get())) {
                return behind(now, "the newest line of the audit log", recorded.get());
            }
            Instant built = Files.getLastModifiedTime(program).toInstant();
            if (isBehind(now, built)) {
                return behind(now, "this program", built);
            }
            return List.of(Finding.ok("clock", "later than the last audit line"));
        } catch (IOException e) {
            return List.of(
                    Finding.fail(
                            "clock",
                            "nothing to compare it with: " + e.getMessage(),
                            "Run: sallyport audit verify"));
        }
    }

    private static boolean isBehind(Instant now, Instant past) {
        return now.plus(SLACK).isBefore(past);
    }

    private static List<Finding> behind(Instant now, String what, Instant past) {
        return List.of(
                Finding.fail(
                        "clock", "it is " + now + ", but " + what + " is from " + past, REMEDY));
    }
}

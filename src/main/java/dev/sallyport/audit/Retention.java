package dev.sallyport.audit;

import dev.sallyport.config.AuditLimits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Which files of a log are too many or too old. Files are removed whole, the oldest first, so a
/// file ends long before the limits are reached.
record Retention(AuditFiles files, AuditLimits limits) {
    private static final long FILE_BYTES_MAX = 64L << 20;
    private static final int FILES_MIN = 16;

    /// The log goes on in a new file when the current one has this size.
    long fileBytesMax() {
        return Math.min(FILE_BYTES_MAX, limits.keepBytesMax() / FILES_MIN);
    }

    /// The log goes on in a new file when the first line of the current one is from before this.
    Instant fileSince(Instant now) {
        return now.minus(Duration.ofDays(Math.max(1, limits.keepDaysMax() / FILES_MIN)));
    }

    /// Full files that may not stay, oldest first.
    List<Path> surplus(Instant now) throws IOException {
        Instant since = now.minus(Duration.ofDays(limits.keepDaysMax()));
        long bytes = 0;
        for (Path file : files.all()) {
            bytes += Files.size(file);
        }
        List<Path> surplus = new ArrayList<>();
        for (Path file : files.rotated()) {
            if (bytes <= limits.keepBytesMax() && !beginsBefore(file, since)) {
                break;
            }
            surplus.add(file);
            bytes -= Files.size(file);
        }
        return surplus;
    }

    private static boolean beginsBefore(Path file, Instant since) throws IOException {
        Optional<AuditLine> first = AuditReader.oldest(file);
        return first.isEmpty() || first.get().time().isBefore(since);
    }
}

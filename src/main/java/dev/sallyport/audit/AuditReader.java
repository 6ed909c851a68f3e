package dev.sallyport.audit;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;

/// Reads a log for people, one line at a time. Lines are proven one by one; only [AuditVerifier]
/// proves that none is missing.
public final class AuditReader {
    private AuditReader() {}

    /// Hands every line that fits to `sink`, oldest first. A half-written last line is not there
    /// yet.
    public static void read(Path file, AuditFilter filter, Consumer<AuditLine> sink)
            throws IOException {
        Predicate<AuditLine> wanted = wanted(file, filter);
        if (filter.last().isEmpty()) {
            scan(file, wanted, sink);
            return;
        }
        int count = filter.last().getAsInt();
        Deque<AuditLine> kept = new ArrayDeque<>();
        scan(
                file,
                wanted,
                line -> {
                    if (kept.size() == count) {
                        kept.removeFirst();
                    }
                    kept.addLast(line);
                });
        kept.forEach(sink);
    }

    /// The sessions of a sandbox are looked up first: a name can be used again, and the line that
    /// tells of it need not be the oldest that is left.
    private static Predicate<AuditLine> wanted(Path file, AuditFilter filter) throws IOException {
        if (filter.sandbox().isEmpty()) {
            return filter::fits;
        }
        String name = filter.sandbox().get();
        Set<String> sessions = new HashSet<>();
        scan(
                file,
                line -> name.equals(line.sandbox()),
                line -> sessions.add(line.event().session()));
        return line -> sessions.contains(line.event().session()) && filter.fits(line);
    }

    /// When the newest line was written; empty for a log without lines. Reads the end of it only.
    public static Optional<Instant> newest(Path file) throws IOException {
        return LogTail.read(file).last().map(AuditLine::time);
    }

    /// The first line of one file; empty when it has none.
    static Optional<AuditLine> oldest(Path file) throws IOException {
        try (LineReader reader = new LineReader(file)) {
            Optional<byte[]> line = reader.next();
            return line.isPresent() ? Optional.of(decode(file, 1, line.get())) : Optional.empty();
        }
    }

    private static void scan(Path current, Predicate<AuditLine> wanted, Consumer<AuditLine> sink)
            throws IOException {
        for (Path file : new AuditFiles(current.toAbsolutePath()).all()) {
            try (LineReader reader = new LineReader(file)) {
                Optional<byte[]> line = reader.next();
                for (long number = 1; line.isPresent(); number++, line = reader.next()) {
                    AuditLine decoded = decode(file, number, line.get());
                    if (wanted.test(decoded)) {
                        sink.accept(decoded);
                    }
                }
            }
        }
    }

    private static AuditLine decode(Path file, long number, byte[] line) throws IOException {
        try {
            return AuditLine.decode(line);
        } catch (IOException e) {
            throw new IOException(
                    "%s, line %s: %s. Run: sallyport audit verify"
                            .formatted(file, number, e.getMessage()),
                    e);
        }
    }
}

package dev.sallyport.audit;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;

/// Reads a log for people, one line at a time. Lines are proven one by one; only [AuditVerifier]
/// proves that none is missing.
public final class AuditReader {
    /// Which lines are wanted.
    ///
    /// @param session session id
    /// @param decision `allow` or `deny`
    /// @param id of a request; shows also the summary that counts it
    /// @param last only the last so many of those that fit
    public record Filter(
            Optional<String> session,
            Optional<String> decision,
            Optional<String> id,
            OptionalInt last) {
        /// `--last` keeps lines in memory.
        public static final int LAST_MAX = 100_000;

        public static final Filter ALL =
                new Filter(
                        Optional.empty(), Optional.empty(), Optional.empty(), OptionalInt.empty());

        public Filter {
            if (last.isPresent() && (last.getAsInt() < 1 || last.getAsInt() > LAST_MAX)) {
                throw new IllegalArgumentException("last is between 1 and " + LAST_MAX);
            }
        }

        boolean fits(AuditEvent event) {
            return session.map(event.session()::equals).orElse(true)
                    && decision.map(event.decision()::equals).orElse(true)
                    && id.map(wanted -> tellsOf(event, wanted)).orElse(true);
        }

        private static boolean tellsOf(AuditEvent event, String id) {
            Map<String, String> detail = event.detail();
            return id.equals(detail.get("id"))
                    || (event.kind().equals(ThinnedRecorder.SUMMARY)
                            && id.compareTo(detail.getOrDefault("first-id", "~")) >= 0
                            && id.compareTo(detail.getOrDefault("last-id", "")) <= 0);
        }
    }

    private AuditReader() {}

    /// Hands every line that fits to `sink`, oldest first. A half-written last line is not there
    /// yet.
    public static void read(Path file, Filter filter, Consumer<AuditLine> sink) throws IOException {
        if (filter.last().isEmpty()) {
            scan(file, filter, sink);
            return;
        }
        int wanted = filter.last().getAsInt();
        Deque<AuditLine> kept = new ArrayDeque<>();
        scan(
                file,
                filter,
                line -> {
                    if (kept.size() == wanted) {
                        kept.removeFirst();
                    }
                    kept.addLast(line);
                });
        kept.forEach(sink);
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

    private static void scan(Path current, Filter filter, Consumer<AuditLine> sink)
            throws IOException {
        for (Path file : new AuditFiles(current.toAbsolutePath()).all()) {
            try (LineReader reader = new LineReader(file)) {
                Optional<byte[]> line = reader.next();
                for (long number = 1; line.isPresent(); number++, line = reader.next()) {
                    AuditLine decoded = decode(file, number, line.get());
                    if (filter.fits(decoded.event())) {
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
                    file
                            + ", line "
                            + number
                            + ": "
                            + e.getMessage()
                            + ". Run: sallyport audit verify",
                    e);
        }
    }
}

package dev.sallyport.audit;

import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/// Follows a log that is being written, also from one file to the next.
public final class AuditTail {
    private static final int LINES_AT_ONCE_MAX = 10_000;

    private final AuditFiles files;
    private Object place;
    private long offset;
    private long seen;

    /// Begins with the line after the newest one.
    public AuditTail(Path current) throws IOException {
        files = new AuditFiles(current.toAbsolutePath());
        seen = LogTail.read(files.current()).last().map(AuditLine::seq).orElse(0L);
        place = place();
        // The newest line is in there; what is older is known by its number.
        offset = place.equals(Optional.empty()) ? 0 : startOfEnd();
    }

    /// The lines that came since it was asked last, oldest first; at most so many that they fit
    /// into memory, the rest next time.
    public List<AuditLine> next() throws IOException {
        List<AuditLine> lines = new ArrayList<>();
        Object now = place();
        if (!now.equals(place)) {
            for (Path full : files.rotated()) {
                read(full, 0, lines);
            }
            place = now;
            offset = 0;
        }
        if (!now.equals(Optional.empty())) {
            offset = read(files.current(), offset, lines);
        }
        return lines;
    }

    /// A file that takes the name of a full one is another.
    private Object place() throws IOException {
        if (!Files.exists(files.current())) {
            return Optional.empty();
        }
        return Objects.requireNonNull(
                Files.readAttributes(files.current(), BasicFileAttributes.class).fileKey());
    }

    private long startOfEnd() throws IOException {
        long from = Math.max(0, Files.size(files.current()) - 2L * AuditLine.BYTES_MAX);
        if (from == 0) {
            return 0;
        }
        try (LineReader reader = open(files.current(), from)) {
            return from + reader.next().map(line -> line.length + 1L).orElse(0L);
        }
    }

    /// Where it stopped.
    private long read(Path file, long from, List<AuditLine> lines) throws IOException {
        long at = from;
        try (LineReader reader = open(file, from)) {
            while (lines.size() < LINES_AT_ONCE_MAX) {
                Optional<byte[]> line = reader.next();
                if (line.isEmpty()) {
                    break;
                }
                at += line.get().length + 1L;
                AuditLine decoded = AuditLine.decode(line.get());
                if (decoded.seq() > seen) {
                    seen = decoded.seq();
                    lines.add(decoded);
                }
            }
        }
        return at;
    }

    private static LineReader open(Path file, long from) throws IOException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
        channel.position(from);
        return new LineReader(Channels.newInputStream(channel));
    }
}

package dev.sallyport.audit;

import dev.sallyport.config.ConfigException;
import dev.sallyport.config.Ownership;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The file that events are appended to, each line chained to the one before. Whoever gets an
/// answer from [#append] has a line in the file that survives any kill of this process; power loss
/// may cost the last second, because the disk is told to keep what it has once a second.
public final class AuditLog implements AutoCloseable {
    private static final long ROTATE_BYTES = 64L << 20;

    private final AuditFiles files;
    private final Clock clock;
    private final long rotateBytes;
    private final DiskSync sync;
    private @Nullable LineFile current;
    private AuditHead head;
    private long firstSeq;
    private boolean closed;

    private AuditLog(AuditFiles files, Clock clock, long rotateBytes, AuditHead head) {
        this.files = files;
        this.clock = clock;
        this.rotateBytes = rotateBytes;
        this.head = head;
        this.sync = new DiskSync(this::syncNow);
    }

    /// Continues the chain that is there, or begins one. Refuses a log whose end is damaged or cut
    /// off.
    public static AuditLog open(Path file) throws IOException {
        return open(file, Clock.systemUTC(), ROTATE_BYTES);
    }

    static AuditLog open(Path file, Clock clock, long rotateBytes) throws IOException {
        AuditFiles files = new AuditFiles(file.toAbsolutePath());
        requirePrivate(files.current());
        LogTail tail = LogTail.read(file);
        Optional<AuditLine> last = tail.last().isPresent() ? tail.last() : lastRotated(files);
        AuditHead head =
                last.map(line -> new AuditHead(line.seq(), line.hash()))
                        .orElse(new AuditHead(0, AuditLine.FIRST_PREV));
        requireNothingCutOff(files, head);
        head.save(files.head());
        AuditLog log = new AuditLog(files, clock, rotateBytes, head);
        log.begin(tail);
        return log;
    }

    private static void requirePrivate(Path file) throws IOException {
        Path directory = file.getParent();
        if (directory != null) {
            Ownership.requirePrivateDirectory(directory);
        }
        if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            Ownership.requirePrivateFile(file);
        }
    }

    private static Optional<AuditLine> lastRotated(AuditFiles files) throws IOException {
        List<Path> rotated = files.rotated();
        return rotated.isEmpty() ? Optional.empty() : LogTail.read(rotated.getLast()).last();
    }

    private static void requireNothingCutOff(AuditFiles files, AuditHead found) throws IOException {
        Optional<AuditHead> kept = AuditHead.load(files.head());
        boolean cut =
                kept.isPresent()
                        ? kept.get().seq() > found.seq()
                                || (kept.get().seq() == found.seq() && !kept.get().equals(found))
                        : found.seq() > 0;
        if (cut) {
            throw new ConfigException(
                    files.current()
                            + " ends at line "
                            + found.seq()
                            + ", but "
                            + files.head().getFileName()
                            + kept.map(head -> " counts " + head.seq() + " lines.")
                                    .orElse(" is gone."),
                    "Lines may have been removed: keep the directory as evidence and move it aside; a new log begins.");
        }
    }

    private void begin(LogTail tail) throws IOException {
        LineFile file = LineFile.open(files.current());
        current = file;
        firstSeq =
                file.length() == tail.torn().length ? head.seq() + 1 : firstSeqOf(files.current());
        if (tail.torn().length > 0) {
            Path aside = files.torn(head.seq() + 1);
            Ownership.createPrivateFile(aside);
            Files.write(aside, tail.torn());
            file.truncate(file.length() - tail.torn().length);
            Map<String, String> detail =
                    Map.of(
                            "moved-to", String.valueOf(aside.getFileName()),
                            "bytes", Integer.toString(tail.torn().length));
            append(new AuditEvent("audit.recovered", "", "", detail));
        }
        sync.start();
    }

    private static long firstSeqOf(Path file) throws IOException {
        try (LineReader lines = new LineReader(file)) {
            Optional<byte[]> line = lines.next();
            return line.isPresent() ? AuditLine.decode(line.get()).seq() : 1;
        }
    }

    /// Returns the event's number once its line is in the file. When it throws, the line is not
    /// there and whatever waited for it must not happen.
    public synchronized long append(AuditEvent event) throws IOException {
        boolean interrupted = Thread.interrupted();
        try {
            if (closed) {
                throw new IOException("the audit log is closed");
            }
            sync.requireHealthy();
            LineFile file = writable();
            long seq = head.seq() + 1;
            byte[] line =
                    AuditLine.encode(
                            seq,
                            clock.instant().truncatedTo(ChronoUnit.MICROS),
                            event,
                            head.hash());
            file.append(withLineEnd(line));
            head = new AuditHead(seq, hashOf(line));
            return seq;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private LineFile writable() throws IOException {
        LineFile file = current;
        if (file != null && file.length() >= rotateBytes) {
            file.force();
            Files.move(files.current(), files.rotated(firstSeq), StandardCopyOption.ATOMIC_MOVE);
            current = null;
            file.close();
            file = null;
        }
        if (file == null) {
            if (Files.exists(files.current(), LinkOption.NOFOLLOW_LINKS)) {
                throw new IOException(files.current() + " appeared while the log was rotated");
            }
            file = LineFile.open(files.current());
            current = file;
            firstSeq = head.seq() + 1;
        }
        return file;
    }

    private void syncNow() throws IOException {
        LineFile file;
        AuditHead reached;
        synchronized (this) {
            file = current;
            reached = head;
        }
        if (file != null) {
            file.force();
            reached.save(files.head());
        }
    }

    private static byte[] withLineEnd(byte[] line) {
        byte[] bytes = Arrays.copyOf(line, line.length + 1);
        bytes[line.length] = '\n';
        return bytes;
    }

    private static String hashOf(byte[] line) {
        int end = line.length - "\"}".length();
        return new String(line, end - 64, 64, StandardCharsets.US_ASCII);
    }

    @Override
    public void close() throws IOException {
        sync.close();
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        syncNow();
        LineFile file = current;
        if (file != null) {
            file.close();
        }
    }
}

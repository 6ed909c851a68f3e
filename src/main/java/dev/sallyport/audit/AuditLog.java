package dev.sallyport.audit;

import dev.sallyport.config.DiskFullException;
import dev.sallyport.config.Ownership;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The file that events are appended to, each line chained to the one before. Whoever gets an
/// answer from [#append] has a line in the file that survives any kill of this process; power loss
/// may cost the last second, because the disk is told to keep what it has once a second.
public final class AuditLog implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(AuditLog.class.getName());
    private static final Duration RETENTION_PERIOD = Duration.ofHours(1);

    private final AuditFiles files;
    private final AuditTerms terms;
    private final Retention retention;
    private final Clock clock;
    private final DiskReserve reserve;
    private final DiskSync sync;
    private final WitnessDesk witness;
    private final ChainedLines lines = new ChainedLines();
    private @Nullable LineFile current;
    private AuditHead head;
    private long firstSeq;
    private Instant firstTime = Instant.MAX;
    private boolean closed;

    /// Of the thread that syncs.
    private @Nullable AuditHead synced;

    private Instant retentionDue = Instant.MIN;
    private boolean markFails;

    private AuditLog(AuditFiles files, AuditTerms terms, Clock clock, AuditHead head)
            throws IOException {
        this.files = files;
        this.terms = terms;
        this.retention = new Retention(files, terms.limits());
        this.clock = clock;
        this.head = head;
        this.reserve = new DiskReserve(files.reserve());
        this.sync = new DiskSync(this::everySecond);
        this.witness = new WitnessDesk(terms.witness(), this::append);
    }

    /// Continues the chain that is there, or begins one. Refuses a log whose end is damaged or cut
    /// off, also when only the session store knows of it.
    public static AuditLog open(Path file, AuditTerms terms) throws IOException {
        return open(file, terms, Clock.systemUTC());
    }

    static AuditLog open(Path file, AuditTerms terms, Clock clock) throws IOException {
        AuditFiles files = new AuditFiles(file.toAbsolutePath());
        requirePrivate(files.current());
        LogTail tail = LogTail.read(file);
        Optional<AuditLine> last = tail.last().isPresent() ? tail.last() : lastRotated(files);
        Optional<AuditHead.Kept> kept = AuditHead.load(files.head());
        AuditHead head =
                kept.map(AuditHead.Kept::head)
                        .orElse(AuditHead.NONE)
                        .reached(
                                last.map(AuditLine::seq).orElse(0L),
                                last.map(AuditLine::hash).orElse(AuditLine.FIRST_PREV));
        Optional<AuditMark> mark = terms.marks().auditMark();
        new OpeningCheck(files, head).require(kept, mark, terms.key());
        AuditLog log = new AuditLog(files, terms, clock, head);
        log.begin(tail, mark);
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

    private void begin(LogTail tail, Optional<AuditMark> mark) throws IOException {
        AuditHead.save(files.head(), head.signed(terms.key()));
        LineFile file = LineFile.open(files.current());
        current = file;
        Optional<AuditLine> first =
                file.length() == tail.torn().length
                        ? Optional.empty()
                        : AuditReader.oldest(files.current());
        firstSeq = first.map(AuditLine::seq).orElse(head.seq() + 1);
        firstTime = first.map(AuditLine::time).orElse(Instant.MAX);
        if (tail.torn().length > 0) {
            moveAside(file, tail.torn());
        }
        if (head.seq() == 0 && mark.isPresent()) {
            append(new AuditEvent("audit.begun", "", "", Map.of("after", mark.get().hash())));
        }
        files.removeBefore(head.first());
        sync.start();
    }

    private void moveAside(LineFile file, byte[] torn) throws IOException {
        Path aside = files.torn(head.seq() + 1);
        Ownership.createPrivateFile(aside);
        Files.write(aside, torn);
        file.truncate(file.length() - torn.length);
        Map<String, String> detail =
                Map.of(
                        "moved-to", String.valueOf(aside.getFileName()),
                        "bytes", Integer.toString(torn.length));
        append(new AuditEvent("audit.recovered", "", "", detail));
    }

    /// As [#append(List)], for one event.
    public long append(AuditEvent event) throws IOException {
        return append(List.of(event));
    }

    /// Returns the last event's number once the lines of all are in the file, where one write has
    /// put them. When it throws, none of them is there and whatever waited for them must not
    /// happen. A [DiskFullException] says that there is no room for more than last words.
    public long append(List<AuditEvent> events) throws IOException {
        return append(events, _ -> Stamp.NONE);
    }

    /// The same.
    ///
    /// @param stamps whose an event is, by its session
    public synchronized long append(List<AuditEvent> events, Function<String, Stamp> stamps)
            throws IOException {
        boolean interrupted = Thread.interrupted();
        try {
            if (closed) {
                throw new IOException("the audit log is closed");
            }
            requireHealthy();
            boolean lastWord = events.stream().allMatch(LastWords::contain);
            if (reserve.isFull() && !lastWord && !recovered()) {
                throw reserve.refusal();
            }
            return write(events, stamps, lastWord);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /// That somebody removed the log explains more than what the disk said.
    private void requireHealthy() throws IOException {
        try {
            sync.requireHealthy();
        } catch (IOException e) {
            LineFile file = current;
            if (file != null) {
                file.requireUnchanged();
            }
            throw e;
        }
    }

    private long write(List<AuditEvent> events, Function<String, Stamp> stamps, boolean lastWord)
            throws IOException {
        try {
            return write(events, stamps);
        } catch (IOException e) {
            if (!DiskFullException.isCause(e, files.current())) {
                throw e;
            }
            if (!reserve.isFull()) {
                tellFull();
            }
            if (lastWord) {
                return writeIntoReserve(events, stamps);
            }
            throw DiskFullException.at(files.current(), e);
        }
    }

    private long writeIntoReserve(List<AuditEvent> events, Function<String, Stamp> stamps)
            throws IOException {
        IOException full = new DiskFullException("the reserve of the audit log is used up");
        while (reserve.release()) {
            try {
                return write(events, stamps);
            } catch (IOException e) {
                if (!DiskFullException.isCause(e, files.current())) {
                    throw e;
                }
                full = e;
            }
        }
        throw DiskFullException.at(files.current(), full);
    }

    private void tellFull() throws IOException {
        String free = Long.toString(reserve.freeBytes());
        LOG.log(Level.ERROR, "the disk is full: nothing new is allowed until there is room");
        reserve.close();
        AuditEvent told = AuditEvent.ofSystem("audit.disk-full", "free-bytes", free);
        write(List.of(told), _ -> Stamp.NONE, true);
    }

    private boolean recovered() throws IOException {
        if (!reserve.recover()) {
            return false;
        }
        String free = Long.toString(reserve.freeBytes());
        LOG.log(Level.INFO, "the disk has room again");
        AuditEvent told = AuditEvent.ofSystem("audit.disk-freed", "free-bytes", free);
        write(List.of(told), _ -> Stamp.NONE);
        return true;
    }

    private long write(List<AuditEvent> events, Function<String, Stamp> stamps) throws IOException {
        LineFile file = writable();
        long seq = head.seq();
        Instant time = clock.instant().truncatedTo(ChronoUnit.MICROS);
        lines.begin(head.hash(), time);
        for (AuditEvent event : events) {
            seq++;
            lines.add(seq, event, stamps.apply(event.session()));
        }
        file.append(lines.bytes(), lines.length());
        head = head.reached(seq, lines.hash());
        firstTime = firstTime.equals(Instant.MAX) ? time : firstTime;
        return seq;
    }

    private LineFile writable() throws IOException {
        LineFile file = current;
        if (file != null
                && (file.length() >= retention.fileBytesMax()
                        || firstTime.isBefore(retention.fileSince(clock.instant())))) {
            rotate(file);
            file = null;
        }
        if (file == null) {
            if (Files.exists(files.current(), LinkOption.NOFOLLOW_LINKS)) {
                throw new IOException(files.current() + " appeared while the log was rotated");
            }
            file = LineFile.open(files.current());
            current = file;
            firstSeq = head.seq() + 1;
            firstTime = Instant.MAX;
        }
        return file;
    }

    private void rotate(LineFile file) throws IOException {
        file.force();
        Files.move(files.current(), files.rotated(firstSeq), StandardCopyOption.ATOMIC_MOVE);
        current = null;
        file.close();
        retentionDue = Instant.MIN;
    }

    private void everySecond() throws IOException {
        syncNow();
        lookAtDisk();
        boolean due;
        synchronized (this) {
            due = !clock.instant().isBefore(retentionDue);
        }
        if (due) {
            try {
                retain();
            } catch (IOException e) {
                LOG.log(Level.ERROR, "old files of the audit log are not removed", e);
            }
        }
    }

    /// Why nothing but last words is written for now, if that is so.
    public synchronized Optional<String> trouble() {
        try {
            return reserve.isFull()
                    ? Optional.of(
                            reserve.refusal().getMessage() + " Until then nothing new is allowed.")
                    : Optional.empty();
        } catch (IOException e) {
            return Optional.of("The disk of the audit log cannot be asked: " + e.getMessage());
        }
    }

    private synchronized void lookAtDisk() throws IOException {
        if (reserve.isFull()) {
            recovered();
        } else if (reserve.isLow()) {
            tellFull();
        }
    }

    /// Removes what is too much or too old. The order makes a crash harmless: the removal is in the
    /// record, then the signed head begins later, and only then do the files go.
    void retain() throws IOException {
        synchronized (this) {
            retentionDue = clock.instant().plus(RETENTION_PERIOD);
            LineFile file = current;
            if (file != null && firstTime.isBefore(retention.fileSince(clock.instant()))) {
                rotate(file);
            }
            List<Path> surplus = retention.surplus(clock.instant());
            if (surplus.isEmpty()) {
                return;
            }
            AuditLine last = LogTail.read(surplus.getLast()).last().orElseThrow();
            Map<String, String> detail =
                    Map.of(
                            "from", Long.toString(head.first()),
                            "to", Long.toString(last.seq()),
                            "hash", last.hash(),
                            "files", Integer.toString(surplus.size()));
            append(new AuditEvent("audit.removed", "", "", detail));
            head = head.beginning(last.seq() + 1, last.hash());
        }
        syncNow();
        files.removeBefore(synced == null ? 1 : synced.first());
    }

    private void syncNow() throws IOException {
        LineFile file;
        AuditHead reached;
        synchronized (this) {
            file = current;
            reached = head;
        }
        if (file == null || reached.equals(synced)) {
            return;
        }
        file.force();
        String line = reached.signed(terms.key());
        AuditHead.save(files.head(), line);
        mark(reached);
        witness.tell(line);
        synced = reached;
    }

    /// The log goes on without it: what the store does not know yet, the head knows.
    private void mark(AuditHead reached) {
        try {
            terms.marks()
                    .markAudit(new AuditMark(reached.seq(), reached.hash(), terms.key().shown()));
            markFails = false;
        } catch (IOException e) {
            if (!markFails) {
                LOG.log(Level.WARNING, "the session store does not take the audit's head", e);
            }
            markFails = true;
        }
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
        witness.close();
        LineFile file = current;
        if (file != null) {
            file.close();
        }
    }
}

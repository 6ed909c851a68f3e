package dev.sallyport.push;

import dev.sallyport.config.Limits;
import dev.sallyport.policy.Refusal;
import java.io.IOException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.util.sha1.SHA1;
import org.jspecify.annotations.Nullable;

/// The one pass over a pack, front to back, as far as it is there: the form of every entry, every
/// announced size before anything is inflated, and what deltas would take to resolve. Whole objects
/// are handed to [ObjectIntake] as they go by, files too large to be held are hashed here; deltas
/// are measured, and resolved by [DeltaResolution] when the pack is complete.
///
/// ```
///        12 bytes          head of an entry            end of its zlib stream
/// START ─────────▶ ENTRY ◀──────────────────▶ CONTENT ───────────────────────▶ ENTRY
///                    │ all objects                         20 bytes
///                    └────────────▶ TRAILER ──────────────────────────────────▶ END
/// ```
public final class PackReading implements AutoCloseable {
    /// The most bytes of a file that is held in memory while it is hashed and scanned.
    private static final long FILE_HELD_BYTES_MAX = 2L << 20;

    /// Of a pack that still arrives: what was read stays in memory for as long as its sender likes.
    static final int EARLY_OBJECTS_MAX = 100_000;

    private static final int BUFFER_BYTES = 65_536;
    private static final long SIGNATURE = 0x5041434BL;
    private static final int VERSION = 2;
    private static final int START_BYTES = 12;
    private static final int HASH_BYTES = 20;

    private enum Place {
        START,
        ENTRY,
        CONTENT,
        TRAILER,
        END
    }

    /// How much of the pack there is.
    ///
    /// @param whole whether that is all of it
    record Extent(long bytes, boolean whole) {}

    private final Path pack;
    private final PackFile file;
    private final Limits.Push limits;
    private final PackSizes sizes;
    private final PackEntries entries = new PackEntries();
    private final ObjectIntake intake;
    private final MessageDigest digest = Digests.sha1();
    private final CRC32 crc = new CRC32();
    private final Inflater inflater = new Inflater();
    private final SHA1 largeHash = SHA1.newInstance();
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private final byte[] inflated = new byte[BUFFER_BYTES];
    private byte[] trailer = {};
    private Place place = Place.START;
    private int at;
    private int hashed;
    private int filled;
    private long offsetOfBuffer;
    private long objectsLeft;
    private @Nullable Content content;
    private @Nullable PushRefusedException refusal;
    private boolean awaitsRest;
    private long spentNanos;

    PackReading(
            Path pack,
            Limits.Push limits,
            long fileBytesMax,
            @Nullable SecretFinder secrets,
            WorkShare share)
            throws IOException {
        this.pack = pack;
        this.file = new PackFile(pack);
        this.limits = limits;
        this.sizes = new PackSizes(limits, fileBytesMax);
        this.intake = new ObjectIntake(entries, secrets, share);
    }

    /// The zlib stream that is being inflated, and where it goes.
    private static final class Content {
        private final EntryHead head;
        private final long start;
        private final int base;
        private final byte @Nullable [] held;
        private final DeltaHead delta;
        private long done;

        Content(EntryHead head, long start, int base, boolean isHeld) {
            this.head = head;
            this.start = start;
            this.base = base;
            this.held = isHeld ? new byte[(int) head.size()] : null;
            this.delta = new DeltaHead(head.size());
        }
    }

    /// Reads what there is of a pack that is still arriving. Nothing is decided: what the pack is
    /// at fault with is told by [Judge]. May be called again, by another thread, when there is
    /// more.
    ///
    /// @param bytes how much of the file will not change any more
    /// @throws InterruptedException when the thread was interrupted, before or meanwhile
    /// @throws Slice.OverException when others got its place
    public void readSome(long bytes, Slice slice)
            throws IOException, InterruptedException, Slice.OverException {
        if (refusal != null) {
            return;
        }
        long begun = System.nanoTime();
        Deadline deadline = deadline(slice);
        try {
            read(new Extent(bytes, false), deadline);
        } catch (PushRefusedException e) {
            deadline.failIfStopped();
        } finally {
            spentNanos += System.nanoTime() - begun;
        }
    }

    /// Whether nothing more is read before the pack is complete.
    public boolean awaitsRest() {
        return awaitsRest || refusal != null;
    }

    /// What was spent on reading early is no longer there for the judgement.
    Deadline deadline(Slice slice) {
        long left = TimeUnit.SECONDS.toNanos(limits.judgementSecondsMax()) - spentNanos;
        return Deadline.in(Duration.ofNanos(left), slice);
    }

    /// Reads the rest of a pack that is complete, and resolves its deltas.
    ///
    /// @throws PushRefusedException when the pack is at fault
    PackEntries readAll(long bytes, Deadline deadline) throws IOException {
        read(new Extent(bytes, true), deadline);
        if (place != Place.END) {
            throw PushRefusedException.truncated();
        }
        entries.checkChains(limits);
        intake.requireSound();
        intake.begin(deadline);
        try {
            new DeltaResolution(entries, file, intake, deadline).run();
        } finally {
            intake.settle();
        }
        return entries;
    }

    /// The hash of all of it, as the pack itself says.
    byte[] trailer() {
        return trailer.clone();
    }

    long largestBytes() {
        return sizes.largest();
    }

    /// The time is looked at between two steps only, so that one can go on when it was over.
    private void read(Extent extent, Deadline deadline) throws IOException {
        if (refusal != null) {
            throw refusal;
        }
        intake.begin(deadline);
        try {
            do {
                deadline.check();
                while (advance(extent)) {
                    deadline.step();
                }
            } while (fill(extent));
        } catch (PushRefusedException e) {
            refusal = e.reason() == Refusal.JUDGEMENT_TIMEOUT ? null : e;
            throw e;
        } finally {
            intake.settle();
        }
    }

    /// Goes one step; false when more bytes are needed for that.
    private boolean advance(Extent extent) throws IOException {
        int available = filled - at;
        return switch (place) {
            case START -> available >= START_BYTES && readStart();
            case ENTRY -> {
                boolean last = extent.whole() && offset() + available == extent.bytes();
                yield (available >= EntryHead.BYTES_MAX || last) && readHead(extent);
            }
            case CONTENT -> available > 0 && sizes.areBearable(extent) && inflateSome();
            case TRAILER -> available >= HASH_BYTES && readTrailer();
            case END -> {
                if (available > 0) {
                    throw PushRefusedException.malformed("there are bytes after the pack");
                }
                yield false;
            }
        };
    }

    private long offset() {
        return offsetOfBuffer + at;
    }

    private boolean fill(Extent extent) throws IOException {
        absorb();
        System.arraycopy(buffer, at, buffer, 0, filled - at);
        offsetOfBuffer += at;
        filled -= at;
        at = 0;
        hashed = 0;
        long next = offsetOfBuffer + filled;
        int wanted = (int) Math.min(BUFFER_BYTES - filled, extent.bytes() - next);
        int count = wanted <= 0 ? 0 : file.read(buffer, filled, wanted, next);
        filled += Math.max(0, count);
        return count > 0;
    }

    /// What was read joins the hash of the pack and the checksum of its entry.
    private void absorb() {
        digest.update(buffer, hashed, at - hashed);
        crc.update(buffer, hashed, at - hashed);
        hashed = at;
    }

    private long nextInt32() {
        long value = 0;
        for (int i = 0; i < 4; i++) {
            value = value << 8 | (buffer[at++] & 0xFF);
        }
        return value;
    }

    private boolean readStart() {
        if (nextInt32() != SIGNATURE || nextInt32() != VERSION) {
            throw PushRefusedException.malformed("this is not a pack of version 2");
        }
        objectsLeft = nextInt32();
        if (objectsLeft > limits.packObjectsMax()) {
            throw PushRefusedException.limit(
                    objectsLeft + " objects; at most " + limits.packObjectsMax() + " are allowed");
        }
        place = objectsLeft == 0 ? Place.TRAILER : Place.ENTRY;
        return true;
    }

    private boolean readHead(Extent extent) {
        long start = offset();
        EntryHead head = EntryHead.parse(buffer, at, filled);
        if (!extent.whole() && isTooMuchEarly(head)) {
            awaitsRest = true;
            return false;
        }
        absorb();
        crc.reset();
        at += head.length();
        int base = PackEntries.NONE;
        if (head.type() == Constants.OBJ_OFS_DELTA) {
            base = entries.indexOf(start - head.distance());
        }
        boolean isFile = head.type() == Constants.OBJ_BLOB;
        if (!head.isDelta() && !isFile) {
            PackSizes.requireBearable(head);
        }
        sizes.count(head.size(), 0);
        boolean isHeld = !head.isDelta() && (!isFile || head.size() <= FILE_HELD_BYTES_MAX);
        content = new Content(head, start, base, isHeld);
        if (isFile && !isHeld) {
            ObjectIntake.head(largeHash, head.type(), head.size());
        }
        inflater.reset();
        place = Place.CONTENT;
        return true;
    }

    private boolean isTooMuchEarly(EntryHead head) {
        boolean isLarge = head.size() > FILE_HELD_BYTES_MAX;
        boolean isStructure = !head.isDelta() && head.type() != Constants.OBJ_BLOB;
        return (isLarge && isStructure) || entries.count() >= EARLY_OBJECTS_MAX;
    }

    private boolean inflateSome() {
        Content into = content();
        inflater.setInput(buffer, at, filled - at);
        while (!inflater.finished() && !inflater.needsInput()) {
            int count = inflate();
            into.done += count;
            requireNotTooLong();
            take(into, count);
        }
        at = filled - inflater.getRemaining();
        if (inflater.finished()) {
            end(into);
        }
        return true;
    }

    private int inflate() {
        try {
            int count = inflater.inflate(inflated);
            if (inflater.needsDictionary()) {
                throw PushRefusedException.malformed("an object is not a plain zlib stream");
            }
            return count;
        } catch (DataFormatException e) {
            requireNotTooLong();
            throw PushRefusedException.malformed("an object is not a zlib stream");
        }
    }

    /// Of two faults this is the one that is told, in however many pieces the object came.
    private void requireNotTooLong() {
        if (inflater.getBytesWritten() > content().head.size()) {
            throw PushRefusedException.malformed("an object is longer than it says");
        }
    }

    private void take(Content into, int count) {
        if (into.held != null) {
            System.arraycopy(inflated, 0, into.held, (int) into.done - count, count);
        } else if (into.head.isDelta()) {
            into.delta.take(inflated, count);
        } else if (intake.isSound()) {
            largeHash.update(inflated, 0, count);
        }
    }

    private void end(Content of) {
        if (of.done != of.head.size()) {
            throw PushRefusedException.malformed("an object is shorter than it says");
        }
        absorb();
        int sum = (int) crc.getValue();
        if (of.head.isDelta()) {
            sizes.count(0, of.delta.resultBytes());
            if (of.base == PackEntries.NONE) {
                entries.addReference(of.start, of.head.base(), of.delta, sum);
            } else {
                entries.addDelta(of.start, of.base, of.delta, sum);
            }
        } else {
            endWhole(of, entries.addWhole(of.start, of.head.size(), sum));
        }
        content = null;
        objectsLeft--;
        place = objectsLeft == 0 ? Place.TRAILER : Place.ENTRY;
    }

    private void endWhole(Content of, int entry) {
        if (of.held != null) {
            intake.take(entry, of.head.type(), of.held);
        } else if (intake.isSound()) {
            try {
                ObjectId id = largeHash.toObjectId();
                long stream = of.start + of.head.length();
                intake.takeLarge(entry, id, () -> PackFile.open(pack, stream));
            } catch (RuntimeException e) {
                intake.failInTurn(e);
            }
        }
    }

    private boolean readTrailer() {
        absorb();
        trailer = Arrays.copyOfRange(buffer, at, at + HASH_BYTES);
        at += HASH_BYTES;
        if (!Arrays.equals(digest.digest(), trailer)) {
            throw PushRefusedException.malformed("the pack's checksum does not match");
        }
        place = Place.END;
        return true;
    }

    private Content content() {
        if (content == null) {
            throw new IllegalStateException("only CONTENT has any");
        }
        return content;
    }

    @Override
    public void close() {
        inflater.end();
        file.close();
    }
}

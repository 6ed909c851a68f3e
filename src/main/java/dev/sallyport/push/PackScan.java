package dev.sallyport.push;

import dev.sallyport.config.Limits;
import dev.sallyport.policy.Refusal;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import org.eclipse.jgit.lib.Constants;

/// A first, strict look at a pack, in constant memory per object, before anything bigger touches
/// it: the form of every entry, every announced size, and what JGit would have to hold in memory to
/// resolve its deltas. JGit trusts the sizes that a pack announces; after this it may.
final class PackScan {
    /// The most bytes of a commit, tree or tag. Those are held in memory whole.
    static final long STRUCTURE_BYTES_MAX = 16L << 20;

    private static final long SIGNATURE = 0x5041434BL;
    private static final int VERSION = 2;
    private static final long RATIO_MATTERS_BYTES = 64L << 20;
    private static final int VARINT_SHIFT_MAX = 53;
    private static final int OFFSET_BYTES_MAX = 8;
    private static final int ID_BYTES = 20;

    private final Limits.Push limits;
    private final long objectBytesMax;
    private final PackBytes bytes;
    private final PackEntries entries;
    private final boolean hashing;
    private final MessageDigest digest = Digests.sha1();
    private long inflatedBytes;
    private long resultBytes;
    private long largest;

    /// What is known of a pack that passed.
    ///
    /// @param largestBytes of the biggest object in it
    record Summary(int objects, long packBytes, long inflatedBytes, long largestBytes) {}

    private PackScan(Limits.Push limits, long fileBytesMax, PackBytes bytes, boolean hashing) {
        this.limits = limits;
        this.objectBytesMax = Math.max(fileBytesMax, STRUCTURE_BYTES_MAX);
        this.bytes = bytes;
        this.hashing = hashing;
        this.entries = new PackEntries(hashing);
    }

    /// @throws PushRefusedException when anything is not as it must be
    static Summary scan(Path pack, Limits.Push limits, long fileBytesMax, Deadline deadline)
            throws IOException {
        PackScan scan = scan(pack, limits, fileBytesMax, deadline, false);
        if (scan.entries.hasReferences()) {
            // Only then is the hash of every whole object worth its time.
            scan = scan(pack, limits, fileBytesMax, deadline, true);
        }
        scan.entries.checkChains(limits);
        long packBytes = Files.size(pack);
        scan.checkRatio(packBytes);
        return new Summary(
                scan.entries.count(),
                packBytes,
                scan.inflatedBytes + scan.resultBytes,
                scan.largest);
    }

    private static PackScan scan(
            Path pack, Limits.Push limits, long fileBytesMax, Deadline deadline, boolean hashing)
            throws IOException {
        try (PackBytes bytes = new PackBytes(new FileInputStream(pack.toFile()), deadline)) {
            PackScan scan = new PackScan(limits, fileBytesMax, bytes, hashing);
            scan.read(deadline);
            return scan;
        }
    }

    private void read(Deadline deadline) throws IOException {
        if (bytes.nextInt32() != SIGNATURE || bytes.nextInt32() != VERSION) {
            throw PushRefusedException.malformed("this is not a pack of version 2");
        }
        long count = bytes.nextInt32();
        if (count > limits.packObjectsMax()) {
            throw PushRefusedException.limit(
                    count + " objects; at most " + limits.packObjectsMax() + " are allowed");
        }
        for (long i = 0; i < count; i++) {
            deadline.step();
            readEntry();
        }
        bytes.expectTrailer();
    }

    private void readEntry() throws IOException {
        long start = bytes.offset();
        int head = bytes.next();
        int type = head >> 4 & 7;
        long size = readSize(head);
        switch (type) {
            case Constants.OBJ_COMMIT, Constants.OBJ_TREE, Constants.OBJ_TAG, Constants.OBJ_BLOB ->
                    readWhole(start, type, size);
            case Constants.OBJ_OFS_DELTA -> {
                int base = entries.indexOf(start - readDistance());
                entries.addDelta(start, base, readDelta(size));
            }
            case Constants.OBJ_REF_DELTA -> {
                byte[] base = bytes.next(ID_BYTES);
                entries.addReference(start, base, readDelta(size));
            }
            default -> throw PushRefusedException.malformed("an entry of unknown type " + type);
        }
    }

    private long readSize(int head) throws IOException {
        long size = head & 15;
        int shift = 4;
        for (int b = head; (b & 0x80) != 0; shift += 7) {
            if (shift > VARINT_SHIFT_MAX) {
                throw PushRefusedException.malformed("a size that no object can have");
            }
            b = bytes.next();
            size |= (long) (b & 0x7F) << shift;
        }
        return size;
    }

    private long readDistance() throws IOException {
        int b = bytes.next();
        long distance = b & 0x7F;
        for (int i = 1; (b & 0x80) != 0; i++) {
            if (i == OFFSET_BYTES_MAX) {
                throw PushRefusedException.malformed("a delta without its base");
            }
            b = bytes.next();
            distance = ((distance + 1) << 7) + (b & 0x7F);
        }
        return distance;
    }

    private void readWhole(long start, int type, long size) throws IOException {
        if (type != Constants.OBJ_BLOB && size > STRUCTURE_BYTES_MAX) {
            throw PushRefusedException.limit(
                    "a "
                            + Constants.typeString(type)
                            + " of "
                            + size
                            + " bytes; at most "
                            + STRUCTURE_BYTES_MAX
                            + " are allowed");
        }
        count(size, 0);
        if (hashing) {
            String head = Constants.typeString(type) + " " + size + "\0";
            digest.update(head.getBytes(StandardCharsets.US_ASCII));
            bytes.inflate(size, (piece, length) -> digest.update(piece, 0, length));
            entries.addWhole(start, size, digest.digest());
        } else {
            bytes.inflate(size, (_, _) -> {});
            entries.addWhole(start, size);
        }
    }

    private DeltaHead readDelta(long size) throws IOException {
        count(size, 0);
        DeltaHead delta = new DeltaHead(size);
        bytes.inflate(size, delta);
        count(0, delta.resultBytes());
        return delta;
    }

    private void count(long inflated, long result) {
        largest = Math.max(largest, Math.max(inflated, result));
        if (largest > objectBytesMax) {
            throw new PushRefusedException(
                    Refusal.FILE_TOO_LARGE,
                    "an object of " + largest + " bytes; at most " + objectBytesMax + " fit");
        }
        inflatedBytes += inflated;
        resultBytes += result;
        if (inflatedBytes + resultBytes > limits.inflatedBytesMax()) {
            throw PushRefusedException.limit(
                    "the pack inflates to more than " + limits.inflatedBytesMax() + " bytes");
        }
    }

    private void checkRatio(long packBytes) {
        if (inflatedBytes > RATIO_MATTERS_BYTES
                && inflatedBytes / limits.inflationRatioMax() > packBytes) {
            throw PushRefusedException.limit(
                    "the pack inflates more than " + limits.inflationRatioMax() + " times");
        }
    }
}

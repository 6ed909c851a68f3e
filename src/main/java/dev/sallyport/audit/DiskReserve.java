package dev.sallyport.audit;

import dev.sallyport.config.DiskFullException;
import dev.sallyport.config.Ownership;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/// Keeps room on the disk for the last words: that it is full, and how sandboxes ended. Everything
/// else is refused before the disk is full, and again welcome when there is room.
///
/// A file of real bytes holds the room against other programs. It is given up when a write fails.
final class DiskReserve {
    private static final int MIB = 1 << 20;
    private static final long FREE_BYTES_MIN = 16 * MIB;
    private static final int RESERVE_BYTES = MIB;
    private static final int SLICE_BYTES = 8 << 10;

    /// A small disk keeps this part of it.
    private static final int PART = 16;

    private final Path file;
    private final FileStore disk;
    private final long freeBytesMin;
    private final int bytes;
    private boolean full;

    /// Makes the reserve. When there is no room for it, the disk is full from the beginning.
    DiskReserve(Path file) throws IOException {
        this.file = file;
        this.disk = Files.getFileStore(file.resolveSibling("."));
        long part = disk.getTotalSpace() / PART;
        this.freeBytesMin = Math.min(FREE_BYTES_MIN, part);
        this.bytes = (int) Math.min(RESERVE_BYTES, part);
        this.full = isLow() || !make();
    }

    boolean isFull() {
        return full;
    }

    boolean isLow() throws IOException {
        return disk.getUsableSpace() < freeBytesMin;
    }

    /// No more but the last words from now on.
    void close() {
        full = true;
    }

    /// Gives some of the room up for the last words; not all at once, because other programs take
    /// what is left of it. Returns whether there was any.
    boolean release() throws IOException {
        full = true;
        long held = heldBytes();
        if (held == 0) {
            return false;
        }
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
            channel.truncate(Math.max(0, held - SLICE_BYTES));
        }
        return true;
    }

    private long heldBytes() throws IOException {
        return Files.exists(file, LinkOption.NOFOLLOW_LINKS) ? Files.size(file) : 0;
    }

    /// Takes the room again, if there is enough beside it.
    boolean recover() throws IOException {
        full = disk.getUsableSpace() < neededBytes() || !make();
        return !full;
    }

    /// Twice what begins it, so that little by little is not one end after the other.
    private long neededBytes() throws IOException {
        return 2 * freeBytesMin + bytes - heldBytes();
    }

    private boolean make() throws IOException {
        if (heldBytes() == bytes) {
            return true;
        }
        try {
            Ownership.createPrivateFile(file);
            Files.write(file, new byte[bytes]);
            return true;
        } catch (IOException e) {
            if (!DiskFullException.isCause(e, file)) {
                throw e;
            }
            Files.deleteIfExists(file);
            return false;
        }
    }

    DiskFullException refusal() throws IOException {
        return new DiskFullException(
                "The disk is full: the audit log needs %d MiB free in %s."
                        .formatted(Math.ceilDiv(neededBytes(), MIB), file.getParent()));
    }

    long freeBytes() throws IOException {
        return disk.getUsableSpace();
    }
}

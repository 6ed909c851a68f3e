package dev.sallyport.sandbox;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// Looks for sockets and devices in directories that are to be mounted. A Unix socket works through
/// a mount, across every namespace: who connects speaks to a service of the host's.
///
/// One search has one budget for all its directories; what it did not come to is said.
final class SocketSearch extends SimpleFileVisitor<Path> {
    static final int ENTRIES_MAX = 100_000;
    static final Duration TIME_MAX = Duration.ofSeconds(2);
    private static final int FOUND_MAX = 10;

    private static final int TYPE = 0170000;
    private static final int SOCKET = 0140000;
    private static final int BLOCK_DEVICE = 0060000;
    private static final int CHARACTER_DEVICE = 0020000;

    private final boolean devices;
    private final int foundMax;
    private final int entriesMax;
    private final long deadlineNanos;
    private final List<Path> found = new ArrayList<>();
    private int entries;
    private boolean partial;

    SocketSearch() {
        this(ENTRIES_MAX, TIME_MAX);
    }

    SocketSearch(int entriesMax, Duration timeMax) {
        this(entriesMax, timeMax, true, FOUND_MAX);
    }

    private SocketSearch(int entriesMax, Duration timeMax, boolean devices, int foundMax) {
        this.devices = devices;
        this.foundMax = foundMax;
        this.entriesMax = entriesMax;
        this.deadlineNanos = System.nanoTime() + timeMax.toNanos();
    }

    /// For what is mounted already. It passes devices by, because some are the sandbox's own, and
    /// does not end at the first sockets: those of the sandbox's would hide the others.
    static SocketSearch withoutDevices() {
        return new SocketSearch(ENTRIES_MAX, TIME_MAX, false, ENTRIES_MAX);
    }

    void in(Path directory) throws SandboxException {
        try {
            Files.walkFileTree(directory, this);
        } catch (IOException e) {
            throw new SandboxException("cannot look into " + directory + ".", e);
        }
    }

    List<Path> found() {
        return List.copyOf(found);
    }

    /// Whether something was not looked at.
    boolean isPartial() {
        return partial;
    }

    /// Whether a file is a socket or a device, not followed if it is a link.
    static boolean isSocketOrDevice(Path path) throws IOException {
        int type = typeOf(path);
        return type == SOCKET || type == BLOCK_DEVICE || type == CHARACTER_DEVICE;
    }

    static boolean isSocket(Path path) throws IOException {
        return typeOf(path) == SOCKET;
    }

    private static int typeOf(Path path) throws IOException {
        return (int) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS) & TYPE;
    }

    @Override
    public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
        return next();
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
        if (attributes.isOther() && (devices ? isSocketOrDevice(file) : isSocket(file))) {
            found.add(file);
        }
        return found.size() < foundMax ? next() : FileVisitResult.TERMINATE;
    }

    /// What we may not read, or what has just gone.
    @Override
    public FileVisitResult visitFileFailed(Path file, IOException e) {
        partial = true;
        return next();
    }

    @Override
    public FileVisitResult postVisitDirectory(
            Path directory, @org.jspecify.annotations.Nullable IOException e) {
        partial |= e != null;
        return FileVisitResult.CONTINUE;
    }

    private FileVisitResult next() {
        if (++entries > entriesMax || System.nanoTime() - deadlineNanos > 0) {
            partial = true;
            return FileVisitResult.TERMINATE;
        }
        return FileVisitResult.CONTINUE;
    }
}

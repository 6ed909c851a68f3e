package dev.sallyport.confine;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;

/// Opens a regular file in a directory where a sandbox may replace it at any moment. Opening a pipe
/// in its place would wait until somebody writes to it, opening a file with a lease (`fcntl(2)`)
/// until its holder gives way, and opening a device does what the device does.
public final class HeldFile {
    private static final long HERE = -100;
    private static final long PATH_CLOEXEC = 0x280000;
    private static final long NONBLOCK_CLOEXEC = 0x80800;

    private HeldFile() {}

    /// Looks through symbolic links.
    public static InputStream open(Path file) throws IOException {
        return open(file, Optional.empty());
    }

    /// The same, for one file only.
    ///
    /// @param key of the file, which comes from where no link was on the way
    public static InputStream open(Path file, Object key) throws IOException {
        return open(file, Optional.of(key));
    }

    private static InputStream open(Path file, Optional<Object> key) throws IOException {
        // As its bytes are: the text of a path is not always the name of a file.
        String path = file.toUri().getRawPath().replace("+", "%2B");
        long pinned =
                descriptor(URLDecoder.decode(path, StandardCharsets.ISO_8859_1), PATH_CLOEXEC);
        try {
            BasicFileAttributes is = Files.readAttributes(path(pinned), BasicFileAttributes.class);
            if (!is.isRegularFile() || !key.map(is.fileKey()::equals).orElse(true)) {
                throw new IOException(file + " is not a regular file, or was replaced");
            }
            return reopened(pinned);
        } finally {
            close(pinned);
        }
    }

    /// As long as somebody has it open, nobody gets a lease that keeps us from opening it again.
    private static InputStream reopened(long pinned) throws IOException {
        long open = descriptor(path(pinned).toString(), NONBLOCK_CLOEXEC);
        try {
            return Files.newInputStream(path(open));
        } finally {
            close(open);
        }
    }

    private static Path path(long descriptor) {
        return Path.of("/proc/self/fd/" + descriptor);
    }

    private static long descriptor(String path, long flags) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            long text = arena.allocateFrom(path, StandardCharsets.ISO_8859_1).address();
            return Kernel.require("to open a file", Syscall.OPENAT, HERE, text, flags);
        }
    }

    private static void close(long descriptor) {
        Kernel.call(Syscall.CLOSE, descriptor, 0, 0, 0);
    }
}

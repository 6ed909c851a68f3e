package dev.sallyport.config;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/// Replaces a file of ours as a whole: after a crash there is the old one or the new one, on disk
/// and with mode 0600, and never a part of it.
public final class PrivateFile {
    /// What a crash may leave behind ends so; the next replacement removes it.
    public static final String UNFINISHED = ".unfinished";

    private PrivateFile() {}

    public static void replace(Path file, byte[] bytes) throws IOException {
        String name = String.valueOf(file.getFileName());
        Path unfinished = file.resolveSibling(name.replaceFirst("\\.(json|age)$", "") + UNFINISHED);
        Files.deleteIfExists(unfinished);
        Ownership.createPrivateFile(unfinished);
        try (FileChannel channel =
                FileChannel.open(unfinished, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
            ByteBuffer buffer = ByteBuffer.wrap(bytes);
            while (buffer.hasRemaining()) {
                channel.write(buffer);
            }
            channel.force(true);
        }
        Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
        syncDirectory(file.resolveSibling("."));
    }

    /// What was created, renamed or removed in it stays so when the power fails.
    static void syncDirectory(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }
}

package dev.sallyport.audit;

import dev.sallyport.config.ConfigException;
import dev.sallyport.config.Ownership;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/// A file that grows by whole lines or not at all. A write that fails half-way is taken back before
/// the next one, also when the channel was closed by an interrupt.
final class LineFile implements AutoCloseable {
    private final Path path;
    private volatile FileChannel channel;
    private @Nullable Object key;
    private long length;
    private boolean suspect;
    private boolean closed;

    private LineFile(Path path, FileChannel channel) throws IOException {
        this.path = path;
        this.channel = channel;
        this.length = channel.size();
        this.key = attributes().fileKey();
    }

    static LineFile open(Path path) throws IOException {
        Ownership.createPrivateFile(path);
        return new LineFile(path, channel(path));
    }

    private static FileChannel channel(Path path) throws IOException {
        return FileChannel.open(
                path, StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
    }

    long length() {
        return length;
    }

    /// Appends whole lines, with one write unless the kernel takes only a part.
    void append(byte[] lines, int count) throws IOException {
        repair();
        requireUnchanged();
        suspect = true;
        ByteBuffer bytes = ByteBuffer.wrap(lines, 0, count);
        try {
            while (bytes.hasRemaining()) {
                channel.write(bytes, length + bytes.position());
            }
        } catch (IOException e) {
            takeBack(e);
            throw e;
        }
        length += count;
        suspect = false;
    }

    /// Cuts the file; for what a crash has left.
    void truncate(long newLength) throws IOException {
        channel.truncate(newLength);
        channel.force(true);
        length = newLength;
    }

    /// May run beside [#append]; does nothing once closed, because closing forces too.
    synchronized void force() throws IOException {
        if (!closed) {
            channel.force(false);
        }
    }

    private void takeBack(IOException reason) {
        try {
            repair();
        } catch (IOException e) {
            reason.addSuppressed(e);
        }
    }

    private void repair() throws IOException {
        if (!suspect) {
            return;
        }
        if (!channel.isOpen()) {
            Ownership.requirePrivateFile(path);
            channel = channel(path);
        }
        if (channel.size() > length) {
            channel.truncate(length);
        }
        suspect = false;
    }

    /// Lines written to a file that was removed, replaced or cut would be lost or would break the
    /// chain: refused instead.
    void requireUnchanged() throws IOException {
        try {
            BasicFileAttributes found = attributes();
            if (found.size() != length || key == null || !key.equals(found.fileKey())) {
                throw byOthers("changed");
            }
        } catch (NoSuchFileException e) {
            throw byOthers("removed");
        }
    }

    private ConfigException byOthers(String what) {
        return new ConfigException(
                path + " was " + what + " by someone else.",
                "Find out by whom, keep the directory as evidence, and restart the daemon: sallyport down, sallyport up");
    }

    private BasicFileAttributes attributes() throws IOException {
        return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    }

    @Override
    public synchronized void close() throws IOException {
        force();
        closed = true;
        channel.close();
    }
}

package dev.sallyport.warden;

import dev.sallyport.config.Home;
import dev.sallyport.config.Ownership;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// At most one warden per home. The kernel drops the lock when the process ends, however it ends,
/// so there is no stale state to judge.
final class InstanceLock implements AutoCloseable {
    private final FileChannel channel;
    private final Path pidFile;

    private InstanceLock(FileChannel channel, Path pidFile) {
        this.channel = channel;
        this.pidFile = pidFile;
    }

    /// Empty when another warden has it.
    static Optional<InstanceLock> take(Home home) throws IOException {
        Path file = home.run().resolve("warden.lock");
        Ownership.createPrivateFile(file);
        FileChannel channel =
                FileChannel.open(file, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
        @Nullable FileLock lock = channel.tryLock();
        if (lock == null) {
            channel.close();
            return Optional.empty();
        }
        Files.deleteIfExists(home.wardenPid());
        Ownership.createPrivateFile(home.wardenPid());
        Files.writeString(home.wardenPid(), ProcessHandle.current().pid() + "\n");
        return Optional.of(new InstanceLock(channel, home.wardenPid()));
    }

    @Override
    public void close() throws IOException {
        Files.deleteIfExists(pidFile);
        channel.close();
    }
}

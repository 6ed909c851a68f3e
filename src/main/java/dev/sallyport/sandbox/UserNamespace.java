package dev.sallyport.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/// Whether a sandbox's numbers of users are its own, so that its root is nobody's root outside.
public final class UserNamespace {
    private UserNamespace() {}

    /// As the kernel says; empty when it does not.
    public static Optional<Boolean> isOwn(long pid) {
        try {
            return Optional.of(inode(Long.toString(pid)) != inode("self"));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static long inode(String process) throws IOException {
        return (long) Files.getAttribute(Path.of("/proc", process, "ns/user"), "unix:ino");
    }
}

package dev.sallyport.confine;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;

/// What a thread gives up, for good, together with all that it starts from then on.
public interface Confinement {
    void confineThisThread() throws IOException;

    /// Gives up system calls.
    ///
    /// @param filter as [SyscallFilter] makes it
    static Confinement toCalls(byte[] filter) {
        return () -> Seccomp.onThisThread(filter);
    }

    /// Gives up files, as far as the kernel has [Landlock].
    ///
    /// @param read files and directories to read and execute, with what is beneath; what does not
    ///   exist is left out
    /// @param write files and directories to read and change
    static Confinement toFiles(Collection<Path> read, Collection<Path> write) {
        return Landlock.version() == 0 ? () -> {} : () -> Landlock.onThisThread(read, write);
    }
}

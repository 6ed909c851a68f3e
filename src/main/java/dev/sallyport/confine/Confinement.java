package dev.sallyport.confine;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;

/// What a thread gives up, for good, together with all that it starts from then on.
public interface Confinement {
    /// `unshare` with this makes a network namespace.
    int CLONE_NEWNET = 0x40000000;

    void confineThisThread() throws IOException;

    /// Gives up system calls.
    ///
    /// @param filter as [SyscallFilter] makes it
    static Confinement toCalls(byte[] filter) {
        return () -> Seccomp.onThisThread(filter);
    }

    /// Gives up the network: from now on there is one of its own with nothing in it. Root can.
    static Confinement toNoNetwork() {
        return () -> {
            var _ = Kernel.require("a network of its own", Syscall.UNSHARE, CLONE_NEWNET, 0, 0);
        };
    }

    /// Gives up this too, after what is given up here.
    default Confinement and(Confinement more) {
        return () -> {
            confineThisThread();
            more.confineThisThread();
        };
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

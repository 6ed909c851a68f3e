package dev.sallyport.sandbox.docker;

import dev.sallyport.sandbox.CommandLines;
import dev.sallyport.sandbox.SandboxException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/// Whether a container's processes are processes of this machine's kernel.
///
/// Runtimes such as gVisor's and Kata's run them on a kernel of their own, with a loopback of its
/// own: sockets that we open in the network namespace would answer nobody, and its mounts cannot be
/// compared with the host's. What the engine calls its first process is then the runtime itself,
/// and not the command that we gave it.
final class HostKernel {
    private static final Duration EXEC_MAX = Duration.ofSeconds(10);
    private static final long POLL_NANOS = 5_000_000;

    static void require(long pid) throws SandboxException {
        if (!becomes(() -> isIdle(commandLine(pid)))) {
            throw new SandboxException(
                    "the container does not run on this machine's kernel (as with gVisor and Kata), so Sallyport can neither open sockets in it nor check its mounts. Choose another --runtime-class; docs/hardening.md lists which work.");
        }
    }

    /// Something that is true of a first process once its command runs. A runtime may say that a
    /// container runs a moment before that.
    interface Fact {
        boolean holds() throws SandboxException;
    }

    /// Whether it is true by now, or soon.
    static boolean becomes(Fact fact) throws SandboxException {
        long deadline = System.nanoTime() + EXEC_MAX.toNanos();
        while (!fact.holds()) {
            if (System.nanoTime() - deadline > 0) {
                return false;
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
        return true;
    }

    static boolean isIdle(List<String> words) {
        return Collections.indexOfSubList(words, ContainerShape.IDLE) >= 0;
    }

    private static List<String> commandLine(long pid) throws SandboxException {
        try {
            return CommandLines.of(Path.of("/proc", Long.toString(pid)));
        } catch (IOException e) {
            throw new SandboxException(
                    "the container ended at once. Its image must contain `sleep`; try another with --image.",
                    e);
        }
    }
}

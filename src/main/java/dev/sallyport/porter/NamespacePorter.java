package dev.sallyport.porter;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.FutureTask;

/// Porter for root: a thread of this process enters the namespace, opens the sockets and ends.
///
/// The thread is a platform thread of its own because `setns` changes the thread for good; a pooled
/// or virtual one would carry the sandbox's namespace into unrelated work.
public final class NamespacePorter implements Porter {
    @Override
    public List<Listener> open(long pid, long expectedInode, List<Opening> openings)
            throws IOException {
        NetNamespace.requireForeign(expectedInode);
        Sockets.prepare();
        int namespace = Libc.openForReading("/proc/" + pid + "/ns/net");
        try {
            // The opened descriptor pins the namespace: what is checked here is what is entered,
            // whatever happens to the pid meanwhile.
            NetNamespace.requireInode(Path.of("/proc/self/fd/" + namespace), expectedInode);
            return inside(namespace, openings);
        } finally {
            Libc.close(namespace);
        }
    }

    private static List<Listener> inside(int namespace, List<Opening> openings) throws IOException {
        var task =
                new FutureTask<>(
                        () -> {
                            Libc.enterNetNamespace(namespace);
                            return Sockets.openAll(openings);
                        });
        joinForSure(Thread.ofPlatform().name("porter").daemon().start(task));
        return switch (task.state()) {
            case SUCCESS -> task.resultNow();
            case RUNNING, FAILED, CANCELLED -> throw failure(task.exceptionNow());
        };
    }

    /// Waits even when interrupted: leaving early would lose track of sockets that are being
    /// opened.
    private static void joinForSure(Thread thread) {
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static IOException failure(Throwable cause) {
        String text = cause.getMessage();
        return new IOException(text == null ? cause.toString() : text, cause);
    }
}

package dev.sallyport.porter;

import dev.sallyport.confine.OwnThread;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

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
        return OwnThread.call(
                "porter",
                () -> {
                    Libc.enterNetNamespace(namespace);
                    return Sockets.openAll(openings);
                });
    }
}

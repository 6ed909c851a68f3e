package dev.sallyport.porter;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/// What must be true of a network namespace before a socket is opened in it: it is the one that was
/// verified, it is not ours, and nothing in it leads anywhere.
public final class NetNamespace {
    private static final Path OURS = Path.of("/proc/self/ns/net");
    private static final int DEV_HEADER_LINES = 2;

    /// Interfaces that the kernel itself puts, down, into every namespace when a tunnel module is
    /// loaded (`net.core.fb_tunnels_only_for_init_net`).
    public static final Set<String> KERNEL_FALLBACKS =
            Set.of(
                    "tunl0",
                    "gre0",
                    "gretap0",
                    "erspan0",
                    "ip_vti0",
                    "ip6_vti0",
                    "sit0",
                    "ip6tnl0",
                    "ip6gre0");

    private NetNamespace() {}

    static long inodeOf(Path namespace) throws IOException {
        return (long) Files.getAttribute(namespace, "unix:ino");
    }

    /// Refuses the namespace of this process, which is the host's: a listener there would serve the
    /// whole machine.
    static void requireForeign(long inode) throws IOException {
        if (inodeOf(OURS) == inode) {
            throw new IOException(
                    "the sandbox shares the host's network namespace; nothing was opened in it");
        }
    }

    static void requireInode(Path namespace, long expected) throws IOException {
        long found = inodeOf(namespace);
        if (found != expected) {
            throw new IOException(
                    "expected network namespace %s but found %s; the process was replaced, nothing was opened"
                            .formatted(expected, found));
        }
    }

    /// Refuses the calling thread's namespace if it holds more than loopback.
    static void requireOnlyLoopback() throws IOException {
        for (String name : interfaces(Files.readAllLines(Path.of("/proc/thread-self/net/dev")))) {
            boolean harmless =
                    name.equals(NetInterface.LOOPBACK)
                            || (KERNEL_FALLBACKS.contains(name) && !NetInterface.isUp(name));
            if (!harmless) {
                throw new IOException(
                        "the sandbox has a network interface besides loopback ("
                                + name
                                + "); nothing was opened in it");
            }
        }
    }

    static List<String> interfaces(List<String> procNetDev) {
        return procNetDev.stream()
                .skip(DEV_HEADER_LINES)
                .map(line -> line.substring(0, line.indexOf(':')).strip())
                .toList();
    }
}

package dev.sallyport.porter;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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

    /// Why a process that is to have no network may have one, as the kernel tells from outside; empty
    /// when it is in a namespace that nobody else is in and that leads nowhere.
    ///
    /// @param sandbox inode of the network namespace of the sandbox that it serves
    public static Optional<String> objection(long pid, long sandbox) {
        Path process = Path.of("/proc", Long.toString(pid));
        try {
            long inode = inodeOf(process.resolve("ns/net"));
            if (inode == inodeOf(OURS)) {
                return Optional.of("it is in the host's network");
            }
            if (inode == sandbox) {
                return Optional.of("it is in the sandbox's network");
            }
            List<String> found = new ArrayList<>(interfaces(lines(process, "dev")));
            found.removeAll(KERNEL_FALLBACKS);
            found.remove(NetInterface.LOOPBACK);
            boolean routed = lines(process, "route").size() > 1;
            return found.isEmpty() && !routed
                    ? Optional.empty()
                    : Optional.of("its network has " + (routed ? "a route" : found));
        } catch (IOException e) {
            return Optional.of("nobody can look at its network: " + e.getMessage());
        }
    }

    private static List<String> lines(Path process, String table) throws IOException {
        return Files.readAllLines(process.resolve("net").resolve(table));
    }

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
                    "expected network namespace "
                            + expected
                            + " but found "
                            + found
                            + "; the process was replaced, nothing was opened");
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

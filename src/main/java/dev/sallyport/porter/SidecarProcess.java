package dev.sallyport.porter;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// A sidecar as the kernel shows it to others, and whether it has a network (ADR 37).
///
/// @param session that it carries
public record SidecarProcess(long pid, String session) {
    /// The first word of its command line after the options of its JVM; then come its directory and
    /// its session.
    public static final String ROLE = "internal-sidecar";

    private static final int SESSION_AFTER_ROLE = 2;

    private static final Path OURS = Path.of("/proc/self/ns/net");

    /// Those that a warden has started.
    public static List<SidecarProcess> of(long warden) {
        return ProcessHandle.of(warden).stream()
                .flatMap(ProcessHandle::children)
                .flatMap(child -> of(child).stream())
                .toList();
    }

    private static Optional<SidecarProcess> of(ProcessHandle child) {
        try {
            List<String> words =
                    Arrays.asList(
                            new String(
                                            Files.readAllBytes(proc(child.pid(), "cmdline")),
                                            StandardCharsets.UTF_8)
                                    .split("\0", -1));
            int session = words.lastIndexOf(ROLE) + SESSION_AFTER_ROLE;
            return words.contains(ROLE) && session < words.size()
                    ? Optional.of(new SidecarProcess(child.pid(), words.get(session)))
                    : Optional.empty();
        } catch (IOException e) {
            // It has just ended.
            return Optional.empty();
        }
    }

    /// Why it may have a network; empty when it is in a namespace of its own that leads nowhere.
    ///
    /// @param sandbox inode of the network namespace of the sandbox that it serves
    /// @throws IOException when it is not ours to look at
    public Optional<String> objection(long sandbox) throws IOException {
        long inode = NetNamespace.inodeOf(proc(pid, "ns/net"));
        if (inode == NetNamespace.inodeOf(OURS)) {
            return Optional.of("it is in the host's network");
        }
        if (inode == sandbox) {
            return Optional.of("it is in the sandbox's network");
        }
        List<String> found = new ArrayList<>(NetNamespace.interfaces(table("dev")));
        found.removeAll(NetNamespace.KERNEL_FALLBACKS);
        found.remove(NetInterface.LOOPBACK);
        boolean routed = table("route").size() > 1;
        return found.isEmpty() && !routed
                ? Optional.empty()
                : Optional.of("its network has " + (routed ? "a route" : found));
    }

    /// Whether it is of this user. Then we may look at it, unless it is in our own user namespace:
    /// it keeps its memory from others, and this with it.
    public boolean isOf(int uid) {
        try {
            String own = "Uid:\t" + uid + "\t";
            return Files.readAllLines(proc(pid, "status")).stream()
                    .anyMatch(line -> line.startsWith(own));
        } catch (IOException e) {
            return false;
        }
    }

    private List<String> table(String name) throws IOException {
        return Files.readAllLines(proc(pid, "net/" + name));
    }

    private static Path proc(long pid, String file) {
        return Path.of("/proc", Long.toString(pid), file);
    }
}

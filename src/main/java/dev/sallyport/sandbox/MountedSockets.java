package dev.sallyport.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/// The Unix sockets among the files that a running sandbox has mounted, by their paths inside. A
/// socket works through a mount, whatever network its owner is in.
///
/// @param found those that were found
/// @param partial whether something was not looked at
public record MountedSockets(Set<String> found, boolean partial) {
    /// File systems of the kernel's, in which nobody can make a socket.
    private static final Set<String> WITHOUT_SOCKETS =
            Set.of("proc", "sysfs", "devpts", "mqueue", "cgroup", "cgroup2");

    /// Programs and configuration, as we mount them ourselves: large, read-only, and no place of
    /// sockets. What is mounted on something in them is looked at all the same.
    private static final List<String> SYSTEM =
            List.of("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc");

    public MountedSockets {
        found = Set.copyOf(found);
    }

    /// Looks through the first process of the sandbox.
    ///
    /// @throws IOException when its files may not be looked at
    public static MountedSockets of(long pid) throws IOException {
        Path root = Path.of("/proc", Long.toString(pid), "root");
        SocketSearch search = SocketSearch.withoutDevices();
        for (String point : points(pid)) {
            Path place = root.resolve(point.substring(1));
            if (isWorthALook(point, place)) {
                look(search, place);
            }
        }
        Set<String> found = new TreeSet<>();
        search.found().forEach(path -> found.add("/" + root.relativize(path)));
        return new MountedSockets(found, search.isPartial());
    }

    private static List<String> points(long pid) throws IOException {
        return MountTable.of(Long.toString(pid)).entries().stream()
                .filter(entry -> !WITHOUT_SOCKETS.contains(entry.type()))
                .map(MountTable.Entry::point)
                .filter(point -> !point.equals("/"))
                .toList();
    }

    /// What is below another mount or hidden by one need not be there. What we may not see is not
    /// passed by: the search says that it is partial.
    private static boolean isWorthALook(String point, Path place) {
        return !SYSTEM.contains(point) && !Files.notExists(place, LinkOption.NOFOLLOW_LINKS);
    }

    private static void look(SocketSearch search, Path place) throws IOException {
        try {
            search.in(place);
        } catch (SandboxException e) {
            throw new IOException(e.getMessage(), e);
        }
    }
}

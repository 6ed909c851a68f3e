package dev.sallyport.proof;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/// Which processes of this machine hold which sockets, as far as we may look.
///
/// @param holders process ids by inode of the socket
record SocketOwners(Map<Long, Set<Long>> holders) {
    private static final String PREFIX = "socket:[";

    static SocketOwners read() {
        Map<Long, Set<Long>> holders = new HashMap<>();
        for (Path process : entries(Path.of("/proc"))) {
            String name = process.getFileName().toString();
            if (name.chars().allMatch(Character::isDigit)) {
                long pid = Long.parseLong(name);
                for (Path descriptor : entries(process.resolve("fd"))) {
                    note(holders, pid, descriptor);
                }
            }
        }
        return new SocketOwners(holders);
    }

    Set<Long> of(long inode) {
        return holders.getOrDefault(inode, Set.of());
    }

    private static void note(Map<Long, Set<Long>> holders, long pid, Path descriptor) {
        try {
            String target = Files.readSymbolicLink(descriptor).toString();
            if (target.startsWith(PREFIX)) {
                long inode = Long.parseLong(target, PREFIX.length(), target.length() - 1, 10);
                holders.computeIfAbsent(inode, _ -> new HashSet<>()).add(pid);
            }
        } catch (IOException e) {
            // Closed in the meantime.
        }
    }

    private static List<Path> entries(Path directory) {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.toList();
        } catch (IOException e) {
            return List.of();
        }
    }
}

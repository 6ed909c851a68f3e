package dev.sallyport.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;

/// A process as the kernel knows it at one moment. The start time tells it from a later process
/// that was given the same number.
public record ProcessIdentity(long pid, long startTicks, long netNamespaceInode) {
    /// Fields of `/proc/PID/stat` counted after the command name, which may itself contain spaces
    /// and parentheses; proc(5) counts the state as field 3 and the start time as field 22.
    private static final int STATE = 0;

    private static final int START_TICKS = 19;

    /// Empty when there is no such process, or only what is left of it after its end. It is pinned
    /// while it is read, so that start time and namespace are of one and the same (I3).
    public static Optional<ProcessIdentity> of(long pid) {
        return PidDescriptor.pinned(pid, () -> read(pid));
    }

    private static Optional<ProcessIdentity> read(long pid) {
        OptionalLong startTicks = startTicks(pid);
        if (startTicks.isEmpty()) {
            return Optional.empty();
        }
        try {
            long inode = (long) Files.getAttribute(proc(pid).resolve("ns/net"), "unix:ino");
            return Optional.of(new ProcessIdentity(pid, startTicks.getAsLong(), inode));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /// Whether exactly this sandbox's first process still runs.
    public static boolean isAlive(Identity identity) {
        return of(identity.pid())
                .filter(now -> now.startTicks == identity.startTicks())
                .filter(now -> now.netNamespaceInode == identity.netNamespaceInode())
                .isPresent();
    }

    public Identity named(String runtimeId) {
        return new Identity(runtimeId, pid, startTicks, netNamespaceInode);
    }

    /// Present until the process, and with the first one of a pid namespace every other in it, has
    /// ended; its namespaces can be gone before that.
    static OptionalLong startTicks(long pid) {
        try {
            return startTicks(Files.readString(proc(pid).resolve("stat")));
        } catch (IOException e) {
            return OptionalLong.empty();
        }
    }

    static OptionalLong startTicks(String stat) {
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        boolean ended = fields[STATE].equals("Z") || fields[STATE].equals("X");
        return ended ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(fields[START_TICKS]));
    }

    private static Path proc(long pid) {
        return Path.of("/proc", Long.toString(pid));
    }
}

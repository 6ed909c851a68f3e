package dev.sallyport.proof;

import dev.sallyport.sandbox.MountedSockets;
import dev.sallyport.sandbox.Namespaces;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// The Unix sockets that the sandbox can reach, read from outside: those of its network by their
/// names, and those of every network through its mounts.
record UnixRows(Subject subject) {
    private static final String NAMED = "Unix sockets in its network";
    private static final String MOUNTED = "Unix sockets in its files";
    private static final String EXPECTED = "only from programs in the sandbox";
    private static final int SHOWN_MAX = 10;

    /// What stands for bytes that are no text.
    private static final String UNREADABLE = "\uFFFD";

    List<Row> rows() {
        return List.of(named(), mounted());
    }

    private static Path net(String process) {
        return Path.of("/proc", process, "net", "unix");
    }

    private UnixTable own() throws IOException {
        return UnixTable.read(net(Long.toString(subject.identity().pid())));
    }

    Row named() {
        List<String> foreign = new ArrayList<>();
        try {
            UnixTable own = own();
            SocketOwners owners = SocketOwners.read();
            for (UnixTable.Named socket : own.waiting()) {
                Set<Long> holders = owners.of(socket.inode());
                if (holders.isEmpty() || !holders.stream().allMatch(this::isInside)) {
                    foreign.add(socket.name() + " held by " + (holders.isEmpty() ? "?" : holders));
                }
            }
            return row(NAMED, foreign, own.waiting().size());
        } catch (IOException e) {
            return unreadable(NAMED, e);
        }
    }

    private boolean isInside(long pid) {
        return Namespaces.share(pid, subject.identity().pid(), "pid");
    }

    /// The tables are read after the files, so that they know every socket that was found.
    private Row mounted() {
        MountedSockets sockets;
        try {
            sockets = MountedSockets.of(subject.identity().pid());
        } catch (IOException e) {
            return Row.notProbed(MOUNTED, EXPECTED, "its files cannot be read");
        }
        try {
            UnixTable own = own();
            UnixTable hosts = UnixTable.read(net("self"));
            List<String> foreign =
                    sockets.found().stream()
                            .filter(path -> isForeign(path, own, hosts))
                            .sorted()
                            .toList();
            return foreign.isEmpty() && sockets.partial()
                    ? Row.notProbed(MOUNTED, EXPECTED, "there are too many files")
                    : row(MOUNTED, foreign, sockets.found().size());
        } catch (IOException e) {
            return unreadable(MOUNTED, e);
        }
    }

    /// A program inside can bind any name, or write one into the table, to claim a socket of
    /// somebody else's. So one that may be the host's counts in any case.
    private boolean isForeign(String path, UnixTable own, UnixTable hosts) {
        return path.contains(UNREADABLE)
                || !own.mayHave(path)
                || hosts.namesLike(path).stream().anyMatch(name -> mayBe(name, path));
    }

    /// @param name of a socket of the host's with the same end; one without a beginning may be
    ///   anywhere, as may one that is not there for us, and an abstract one looks like it
    private boolean mayBe(String name, String path) {
        if (!name.startsWith("/") || name.equals(path)) {
            return true;
        }
        Path root = Path.of("/proc", Long.toString(subject.identity().pid()), "root");
        try {
            Path hosts = Path.of(name);
            return Files.notExists(hosts)
                    || Files.isSameFile(hosts, root.resolve(path.substring(1)));
        } catch (IOException | InvalidPathException e) {
            return true;
        }
    }

    private static Row unreadable(String probe, IOException e) {
        return Row.of(probe, EXPECTED, false, "cannot be read: " + e.getMessage());
    }

    private static Row row(String probe, List<String> foreign, int all) {
        return Row.of(
                probe,
                EXPECTED,
                foreign.isEmpty(),
                foreign.isEmpty() ? all + " from its own programs" : shown(foreign));
    }

    private static String shown(List<String> foreign) {
        String first = String.join("; ", foreign.stream().limit(SHOWN_MAX).toList());
        int more = foreign.size() - SHOWN_MAX;
        return more > 0 ? first + "; and " + more + " more" : first;
    }
}

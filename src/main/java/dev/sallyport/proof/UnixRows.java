package dev.sallyport.proof;

import dev.sallyport.sandbox.MountedSockets;
import dev.sallyport.sandbox.Namespaces;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// The Unix sockets that the sandbox can reach, read from outside: those of its network by their
/// names, and those of every network through its mounts.
record UnixRows(Subject subject) {
    private static final String PROBE = "Unix sockets";
    private static final String EXPECTED = "only of programs in the sandbox";

    List<Row> rows() {
        try {
            UnixTable own = UnixTable.read(net(Long.toString(subject.identity().pid())));
            return List.of(named(own, SocketOwners.read()), mounted(own));
        } catch (IOException e) {
            return List.of(Row.of(PROBE, EXPECTED, false, "cannot be read: " + e.getMessage()));
        }
    }

    private static Path net(String process) {
        return Path.of("/proc", process, "net", "unix");
    }

    private Row named(UnixTable own, SocketOwners owners) {
        List<String> foreign = new ArrayList<>();
        for (UnixTable.Named socket : own.waiting()) {
            Set<Long> holders = owners.of(socket.inode());
            if (holders.isEmpty() || !holders.stream().allMatch(this::isInside)) {
                foreign.add(socket.name() + " held by " + (holders.isEmpty() ? "?" : holders));
            }
        }
        return row(PROBE + " in its network", foreign, own.waiting().size());
    }

    private boolean isInside(long pid) {
        return Namespaces.share(pid, subject.identity().pid(), "pid");
    }

    /// A program inside could bind a name like a host's, so that one of the host's of exactly this
    /// path counts in any case.
    private Row mounted(UnixTable own) throws IOException {
        String probe = PROBE + " in its files";
        MountedSockets sockets;
        try {
            sockets = MountedSockets.of(subject.identity().pid());
        } catch (IOException e) {
            return Row.notProbed(probe, EXPECTED, "its files may not be looked at");
        }
        UnixTable hosts = UnixTable.read(net("self"));
        List<String> foreign =
                sockets.found().stream()
                        .filter(path -> hosts.has(path) || !(own.has(path) || own.mayHave(path)))
                        .sorted()
                        .toList();
        return foreign.isEmpty() && sockets.partial()
                ? Row.notProbed(probe, EXPECTED, "there are too many files")
                : row(probe, foreign, sockets.found().size());
    }

    private static Row row(String probe, List<String> foreign, int all) {
        return Row.of(
                probe,
                EXPECTED,
                foreign.isEmpty(),
                foreign.isEmpty() ? all + " of its own programs" : String.join("; ", foreign));
    }
}

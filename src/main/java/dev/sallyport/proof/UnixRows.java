package dev.sallyport.proof;

import dev.sallyport.sandbox.MountedSockets;
import dev.sallyport.sandbox.Namespaces;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

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

    /// The Unix sockets of a network namespace that can be reached by a name, as
    /// `/proc/PID/net/unix` lists them.
    ///
    /// The kernel writes names as they are, with line breaks, so that whoever binds one can add
    /// lines. No line can be taken away by that. A table with a line that cannot be the kernel's is
    /// refused as a whole; a line that could be proves nothing in favour of anybody.
    ///
    /// @param waiting those that listen, or that take datagrams
    record UnixTable(List<Named> waiting) {
        /// As the kernel's `unix_seq_show` writes it; a socket without a name has no blank at the
        /// end.
        private static final Pattern LINE =
                Pattern.compile(
                        "[0-9a-f]+: [0-9A-F]{8} [0-9A-F]{8} (?<flags>[0-9A-F]{8}) (?<type>[0-9A-F]{4})"
                                + " [0-9A-F]{2} +(?<inode>[0-9]{1,18})(?: (?<name>.*))?",
                        Pattern.DOTALL);

        private static final String HEAD = "Num ";
        private static final int LISTENS = 0x10000;
        private static final String DATAGRAMS = "0002";

        UnixTable {
            waiting = List.copyOf(waiting);
        }

        /// @param name a path as its owner wrote it, or `@` and an abstract name
        record Named(String name, long inode) {}

        static UnixTable read(Path file) throws IOException {
            try {
                return parse(new String(Files.readAllBytes(file), StandardCharsets.UTF_8));
            } catch (IOException e) {
                throw new IOException(file + ": " + e.getMessage(), e);
            }
        }

        static UnixTable parse(String text) throws IOException {
            if (!text.startsWith(HEAD) || !text.endsWith("\n")) {
                throw new IOException("this is no table of sockets");
            }
            List<Named> waiting = new ArrayList<>();
            Map<Long, String> names = new HashMap<>();
            String[] lines = text.split("\n", -1);
            for (int i = 1; i < lines.length - 1; i++) {
                Matcher columns = LINE.matcher(lines[i]);
                if (!columns.matches()) {
                    throw new IOException("a line is no socket's, as when a name has a line break");
                }
                long inode = Long.parseLong(columns.group("inode"));
                Optional<String> name = Optional.ofNullable(columns.group("name"));
                requireOne(names, inode, name.orElse(""));
                if (name.isPresent() && waits(columns)) {
                    waiting.add(new Named(name.get(), inode));
                }
            }
            return new UnixTable(waiting);
        }

        /// A line may come twice when the table changes while it is read. Connections that nobody
        /// has accepted yet have no inode.
        private static void requireOne(Map<Long, String> names, long inode, String name)
                throws IOException {
            String other = names.putIfAbsent(inode, name);
            if (inode != 0 && other != null && !other.equals(name)) {
                throw new IOException(
                        "two lines are of one socket, as when a name has a line break");
            }
        }

        private static boolean waits(Matcher columns) {
            return (Integer.parseUnsignedInt(columns.group("flags"), 16) & LISTENS) != 0
                    || columns.group("type").equals(DATAGRAMS);
        }

        /// Whether somebody bound this path, or one without a beginning that may be this one. Names
        /// of the sandbox's may be chosen to make it so.
        boolean mayHave(String path) {
            return waiting.stream()
                    .map(Named::name)
                    .filter(name -> !name.startsWith("@"))
                    .anyMatch(
                            name ->
                                    name.startsWith("/")
                                            ? name.equals(path)
                                            : last(name).equals(last(path)));
        }

        /// The names that end as this path does, however they begin.
        List<String> namesLike(String path) {
            return waiting.stream()
                    .map(Named::name)
                    .filter(name -> last(name).equals(last(path)))
                    .toList();
        }

        private static String last(String path) {
            return path.substring(path.lastIndexOf('/') + 1);
        }
    }
}

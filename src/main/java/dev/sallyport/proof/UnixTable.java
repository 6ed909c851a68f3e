package dev.sallyport.proof;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The Unix sockets of a network namespace that can be reached by a name, as `/proc/PID/net/unix`
/// lists them.
///
/// The kernel writes names as they are, with line breaks, so that whoever binds one can add lines.
/// No line can be taken away by that. A table with a line that cannot be the kernel's is refused as
/// a whole; a line that could be proves nothing in favour of anybody.
///
/// @param waiting those that listen, or that take datagrams
record UnixTable(List<Named> waiting) {
    /// As the kernel's `unix_seq_show` writes it; a socket without a name has no blank at the end.
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

    /// A line may come twice when the table changes while it is read. Connections that nobody has
    /// accepted yet have no inode.
    private static void requireOne(Map<Long, String> names, long inode, String name)
            throws IOException {
        String other = names.putIfAbsent(inode, name);
        if (inode != 0 && other != null && !other.equals(name)) {
            throw new IOException("two lines are of one socket, as when a name has a line break");
        }
    }

    private static boolean waits(Matcher columns) {
        return (Integer.parseUnsignedInt(columns.group("flags"), 16) & LISTENS) != 0
                || columns.group("type").equals(DATAGRAMS);
    }

    /// Whether somebody bound this path, or one without a beginning that may be this one. Names of
    /// the sandbox's may be chosen to make it so.
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

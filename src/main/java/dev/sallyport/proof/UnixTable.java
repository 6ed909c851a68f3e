package dev.sallyport.proof;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// The Unix sockets of a network namespace that can be reached by a name, as `/proc/PID/net/unix`
/// lists them.
///
/// @param waiting those that listen, or that take datagrams
record UnixTable(List<Named> waiting) {
    private static final int FLAGS = 3;
    private static final int TYPE = 4;
    private static final int INODE = 6;
    private static final int NAME = 7;
    private static final int LISTENS = 0x10000;
    private static final String DATAGRAMS = "0002";

    /// @param name a path as its owner wrote it, or `@` and an abstract name
    record Named(String name, long inode) {}

    static UnixTable read(Path file) throws IOException {
        return parse(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1));
    }

    static UnixTable parse(String text) {
        return new UnixTable(
                text.lines()
                        .skip(1)
                        .map(line -> line.strip().split("\\s+", NAME + 1))
                        .filter(columns -> columns.length > NAME)
                        .filter(UnixTable::waits)
                        .map(columns -> new Named(columns[NAME], Long.parseLong(columns[INODE])))
                        .toList());
    }

    private static boolean waits(String[] columns) {
        return (Integer.parseUnsignedInt(columns[FLAGS], 16) & LISTENS) != 0
                || columns[TYPE].equals(DATAGRAMS);
    }

    boolean has(String name) {
        return waiting.stream().anyMatch(socket -> socket.name().equals(name));
    }

    /// Whether somebody bound a path without a beginning that may be this one.
    boolean mayHave(String path) {
        String last = path.substring(path.lastIndexOf('/') + 1);
        return waiting.stream()
                .map(Named::name)
                .filter(name -> !name.startsWith("/") && !name.startsWith("@"))
                .anyMatch(name -> name.substring(name.lastIndexOf('/') + 1).equals(last));
    }
}

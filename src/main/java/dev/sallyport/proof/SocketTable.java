package dev.sallyport.proof;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// The sockets of a network namespace that wait for somebody, as `/proc/PID/net` lists them.
///
/// @param waiting those that listen, or that take datagrams from anybody
record SocketTable(List<Socket> waiting) {
    private static final List<String> TABLES =
            List.of("tcp", "tcp6", "udp", "udp6", "udplite", "udplite6", "raw", "raw6");
    private static final String LISTENING = "0A";
    private static final String UNCONNECTED = "07";
    private static final int LOCAL = 1;
    private static final int STATE = 3;
    private static final int INODE = 9;

    /// @param address as the kernel writes it, or dotted for IPv4
    record Socket(String table, String address, int port, long inode) {
        String text() {
            return table + " " + address + ":" + port;
        }
    }

    static SocketTable read(Path net) throws IOException {
        List<Socket> found = new ArrayList<>();
        for (String table : TABLES) {
            Path file = net.resolve(table);
            if (Files.exists(file)) {
                String text = new String(Files.readAllBytes(file), StandardCharsets.US_ASCII);
                found.addAll(parse(table, text));
            }
        }
        return new SocketTable(found);
    }

    static List<Socket> parse(String table, String text) {
        return text.lines()
                .skip(1)
                .map(line -> line.strip().split("\\s+", -1))
                .filter(columns -> columns.length > INODE)
                .filter(columns -> waits(table, columns[STATE]))
                .map(columns -> socket(table, columns))
                .toList();
    }

    private static boolean waits(String table, String state) {
        return state.equals(table.startsWith("tcp") ? LISTENING : UNCONNECTED);
    }

    private static Socket socket(String table, String[] columns) {
        String[] local = columns[LOCAL].split(":", 2);
        return new Socket(
                table,
                address(local[0]),
                Integer.parseInt(local[1], 16),
                Long.parseLong(columns[INODE]));
    }

    /// Four bytes in the machine's own order, which is little-endian wherever we run.
    private static String address(String hex) {
        if (hex.length() != 8) {
            return hex.toLowerCase(Locale.ROOT);
        }
        List<String> bytes = new ArrayList<>();
        for (int at = 6; at >= 0; at -= 2) {
            bytes.add(Integer.toString(Integer.parseInt(hex.substring(at, at + 2), 16)));
        }
        return String.join(".", bytes);
    }
}

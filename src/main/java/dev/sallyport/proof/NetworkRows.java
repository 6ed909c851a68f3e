package dev.sallyport.proof;

import dev.sallyport.channel.ListenerKind;
import dev.sallyport.porter.NetNamespace;
import dev.sallyport.porter.SidecarProcess;
import dev.sallyport.sandbox.Namespaces;
import dev.sallyport.session.OutwardPorts;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/// What the network namespace holds, read from outside through the sandbox's first process.
record NetworkRows(Subject subject, Testimony inside) {
    private static final String LOOPBACK = "lo";

    List<Row> rows() {
        List<Row> rows = new ArrayList<>();
        rows.add(interfaces());
        rows.add(interfacesInside());
        rows.add(routes());
        rows.addAll(listeners());
        subject.sidecar().ifPresent(sidecar -> rows.add(without(sidecar)));
        return rows;
    }

    private Row interfaces() {
        String probe = "network interfaces, from outside";
        try {
            Set<String> found = interfaceNames(read("dev"));
            return Row.of(
                    probe, "lo only", found.equals(Set.of(LOOPBACK)), String.join(" ", found));
        } catch (IOException e) {
            return Row.of(probe, "lo only", false, "cannot be read: " + e.getMessage());
        }
    }

    private Row interfacesInside() {
        Set<String> found = interfaceNames(inside.text("dev"));
        return Row.of(
                "network interfaces, from inside",
                "lo only",
                found.equals(Set.of(LOOPBACK)),
                String.join(" ", found));
    }

    /// Without those that the kernel puts, down, into every namespace, as the porter does; a way
    /// out through one of them would show among the routes.
    static Set<String> interfaceNames(String table) {
        return table.lines()
                .filter(line -> line.contains(":"))
                .map(line -> line.substring(0, line.indexOf(':')).strip())
                .filter(name -> !NetNamespace.KERNEL_FALLBACKS.contains(name))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private Row routes() {
        String probe = "routes, from outside";
        try {
            List<String> found = new ArrayList<>(read("route").lines().skip(1).toList());
            Optional<String> six = readIfThere("ipv6_route");
            six.stream().flatMap(String::lines).filter(NetworkRows::leadsOut).forEach(found::add);
            return Row.of(
                    probe, "none", found.isEmpty(), found.isEmpty() ? "none" : found.getFirst());
        } catch (IOException e) {
            return Row.of(probe, "none", false, "cannot be read: " + e.getMessage());
        }
    }

    private static boolean leadsOut(String line) {
        return !line.isBlank() && !line.strip().endsWith(" " + LOOPBACK);
    }

    private List<Row> listeners() {
        String probe = "listening sockets";
        try {
            SocketTable table = SocketTable.read(net());
            SocketOwners owners = SocketOwners.read();
            return List.of(ours(table, owners), others(table, owners));
        } catch (IOException e) {
            return List.of(Row.of(probe, "ours", false, "cannot be read: " + e.getMessage()));
        }
    }

    /// It is handed every connection that it uses.
    private Row without(SidecarProcess sidecar) {
        String probe = "the sidecar's network, from outside";
        String none = "none";
        if (sidecar.pid() == 0) {
            return Row.of(probe, none, false, "no sidecar runs");
        }
        try {
            Optional<String> objection = sidecar.objection(subject.identity().netNamespaceInode());
            return Row.of(probe, none, objection.isEmpty(), objection.orElse(none));
        } catch (IOException e) {
            return Row.notProbed(
                    probe,
                    none,
                    "it is another user's, or has no namespace of its own: see doctor");
        }
    }

    /// The positive control of the row after it: our doors are there, and no process of the sandbox
    /// has taken their place.
    private Row ours(SocketTable table, SocketOwners owners) {
        List<String> wrong = new ArrayList<>();
        for (ListenerKind kind : ListenerKind.values()) {
            Optional<SocketTable.Socket> socket =
                    table.waiting().stream().filter(found -> is(found, kind)).findFirst();
            if (socket.isEmpty()) {
                wrong.add(kind + " is missing");
            } else if (owners.of(socket.get().inode()).stream().anyMatch(this::isInside)) {
                wrong.add(kind + " is held by a process of the sandbox");
            }
        }
        return Row.of(
                "the gateway's sockets",
                ListenerKind.values().length + " open, held by the gateway",
                wrong.isEmpty(),
                wrong.isEmpty() ? "open" : String.join("; ", wrong));
    }

    private Row others(SocketTable table, SocketOwners owners) {
        List<String> foreign = new ArrayList<>();
        int own = 0;
        for (SocketTable.Socket socket : table.waiting()) {
            Set<Long> holders = owners.of(socket.inode());
            if (isOurs(socket, holders)) {
                continue;
            }
            if (!holders.isEmpty() && holders.stream().allMatch(this::isInside)) {
                own++;
            } else {
                foreign.add(socket.text() + " held by " + (holders.isEmpty() ? "?" : holders));
            }
        }
        return Row.of(
                "other listening sockets",
                "only from programs in the sandbox",
                foreign.isEmpty(),
                foreign.isEmpty() ? own + " from its own programs" : String.join("; ", foreign));
    }

    /// A door, or a listed port of a host that no process of the sandbox holds.
    private boolean isOurs(SocketTable.Socket socket, Set<Long> holders) {
        boolean door = Arrays.stream(ListenerKind.values()).anyMatch(kind -> is(socket, kind));
        boolean listed =
                subject.ports().contains(new OutwardPorts.Place(socket.address(), socket.port()));
        return door || (listed && holders.stream().noneMatch(this::isInside));
    }

    private static boolean is(SocketTable.Socket socket, ListenerKind kind) {
        String table = kind.transport() == ListenerKind.Transport.TCP ? "tcp" : "udp";
        return socket.table().equals(table)
                && socket.port() == kind.port()
                && socket.address().equals(kind.address());
    }

    private boolean isInside(long pid) {
        return Namespaces.share(pid, subject.identity().pid(), "pid");
    }

    private Path net() {
        return Path.of("/proc", Long.toString(subject.identity().pid()), "net");
    }

    private String read(String table) throws IOException {
        return new String(Files.readAllBytes(net().resolve(table)), StandardCharsets.US_ASCII);
    }

    private Optional<String> readIfThere(String table) throws IOException {
        return Files.exists(net().resolve(table)) ? Optional.of(read(table)) : Optional.empty();
    }

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
}

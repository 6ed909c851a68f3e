package dev.sallyport.proof;

import dev.sallyport.channel.ListenerKind;
import dev.sallyport.porter.NetNamespace;
import dev.sallyport.sandbox.Namespaces;
import dev.sallyport.session.OutwardPorts;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
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
}

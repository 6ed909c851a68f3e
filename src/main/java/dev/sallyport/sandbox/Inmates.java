package dev.sallyport.sandbox;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// All processes of a running sandbox, as the kernel shows them from outside: those that share a
/// namespace of its first process, whoever started them.
///
/// Numbers of processes are used again, also on purpose: whoever makes the sandbox's first process
/// end could put one of the host in its place. So its namespaces are read once, are not ours, and
/// every process is compared with them.
///
/// @param processes their directories below `/proc`; those that end meanwhile may be among them
/// @param namespaces of the first process, by kind
public record Inmates(List<Path> processes, Map<String, String> namespaces) {
    private static final List<String> KINDS = List.of("pid", "net");

    public Inmates {
        processes = List.copyOf(processes);
        namespaces = Map.copyOf(namespaces);
    }

    /// One that is closed to us, as some are to a warden that is not root's, cannot be told from
    /// others.
    ///
    /// @throws IOException when the first process itself is gone or may not be looked at
    public static Inmates of(Identity identity) throws IOException {
        Map<String, String> namespaces = new HashMap<>();
        long own = ProcessHandle.current().pid();
        for (String kind : KINDS) {
            Optional<String> name = Namespaces.of(identity.pid(), kind);
            if (name.isEmpty() || name.equals(Namespaces.of(own, kind))) {
                throw new IOException("process " + identity.pid() + " cannot be inspected");
            }
            namespaces.put(kind, name.get());
        }
        Inmates inmates = new Inmates(list(namespaces), namespaces);
        if (!ProcessIdentity.isAlive(identity)) {
            throw new IOException("process " + identity.pid() + " is gone");
        }
        return inmates;
    }

    private static List<Path> list(Map<String, String> namespaces) throws IOException {
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(Path.of("/proc"), "[1-9]*")) {
            for (Path process : all) {
                if (isIn(process, namespaces)) {
                    found.add(process);
                }
            }
        }
        return found;
    }

    /// Those that live inside, and do not only lend the sandbox a hand in its network, such as
    /// `nsenter`.
    public List<Path> inside() {
        return processes.stream().filter(this::isInside).toList();
    }

    /// Whether what has this number now lives inside.
    boolean isInside(Path process) {
        return isIn(process, Map.of("pid", String.valueOf(namespaces.get("pid"))));
    }

    /// Whether what has this number now is one of them.
    public boolean has(Path process) {
        return isIn(process, namespaces);
    }

    private static boolean isIn(Path process, Map<String, String> namespaces) {
        long pid = Long.parseLong(process.getFileName().toString());
        return namespaces.entrySet().stream()
                .anyMatch(
                        one ->
                                Namespaces.of(pid, one.getKey())
                                        .equals(Optional.of(one.getValue())));
    }

    /// Whether nothing of a process runs any more, though its parent may not know yet. The kernel
    /// shows environments through the first thread; others may go on without it.
    public static boolean hasEnded(Path process) {
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(process.resolve("task"))) {
            for (Path thread : threads) {
                byte[] stat = Files.readAllBytes(thread.resolve("stat"));
                String text = new String(stat, StandardCharsets.ISO_8859_1);
                if (ProcessIdentity.startTicks(text).isPresent()) {
                    return false;
                }
            }
            return true;
        } catch (IOException | DirectoryIteratorException e) {
            return Files.notExists(process);
        }
    }
}

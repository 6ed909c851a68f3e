package dev.sallyport.sandbox;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// All processes of a running sandbox, as the kernel shows them from outside: those that share a
/// namespace of its first process, whoever started them.
public final class Inmates {
    private static final List<String> NAMESPACES = List.of("pid", "net");

    private Inmates() {}

    /// Their directories below `/proc`; those that end meanwhile may be among them. One that is
    /// closed to us, as some are to a warden that is not root's, cannot be told from others.
    ///
    /// @throws IOException when the first process itself is gone or may not be looked at
    public static List<Path> of(Identity identity) throws IOException {
        for (String kind : NAMESPACES) {
            if (Namespaces.of(identity.pid(), kind).isEmpty()) {
                throw new IOException("process " + identity.pid() + " may not be looked at");
            }
        }
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(Path.of("/proc"), "[1-9]*")) {
            for (Path process : all) {
                long pid = Long.parseLong(process.getFileName().toString());
                if (NAMESPACES.stream()
                        .anyMatch(kind -> Namespaces.share(pid, identity.pid(), kind))) {
                    found.add(process);
                }
            }
        }
        return found;
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

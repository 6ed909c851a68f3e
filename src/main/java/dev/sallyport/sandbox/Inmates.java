package dev.sallyport.sandbox;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// All processes of a running sandbox, as the kernel shows them from outside: those that share a
/// namespace of its first process, whoever started them.
public final class Inmates {
    private static final List<String> NAMESPACES = List.of("pid", "net");

    private Inmates() {}

    /// Their directories below `/proc`; those that end meanwhile may be among them.
    public static List<Path> of(Identity identity) throws IOException {
        Path proc = Path.of("/proc");
        Path first = proc.resolve(Long.toString(identity.pid()));
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(proc, "[1-9]*")) {
            for (Path process : all) {
                if (NAMESPACES.stream().anyMatch(kind -> shares(process, first, kind))) {
                    found.add(process);
                }
            }
        }
        return found;
    }

    private static boolean shares(Path process, Path first, String kind) {
        Optional<Path> namespace = namespace(first, kind);
        return namespace.isPresent() && namespace.equals(namespace(process, kind));
    }

    private static Optional<Path> namespace(Path process, String kind) {
        try {
            return Optional.of(Files.readSymbolicLink(process.resolve("ns").resolve(kind)));
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}

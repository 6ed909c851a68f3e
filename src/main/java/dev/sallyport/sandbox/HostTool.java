package dev.sallyport.sandbox;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// Finds programs of the host in its system directories only, never along a `PATH` that somebody
/// else may have written.
public final class HostTool {
    private static final List<Path> DIRECTORIES =
            List.of(
                    Path.of("/usr/bin"),
                    Path.of("/bin"),
                    Path.of("/usr/sbin"),
                    Path.of("/sbin"),
                    Path.of("/usr/local/bin"),
                    Path.of("/usr/local/sbin"));

    private HostTool() {}

    public static Optional<Path> find(String name) {
        return DIRECTORIES.stream()
                .map(directory -> directory.resolve(name))
                .filter(Files::isExecutable)
                .findFirst();
    }

    public static String require(String name) throws SandboxException {
        return find(name)
                .map(Path::toString)
                .orElseThrow(
                        () ->
                                new SandboxException(
                                        "the program `"
                                                + name
                                                + "` is not installed. Install it with your system's package tool."));
    }
}

package dev.sallyport.cli;

import dev.sallyport.confine.Jvm;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// How this very program is started again, in another role.
final class OwnProgram {
    static List<String> command(Jvm role, String... arguments) {
        Path own = file();
        return Files.isDirectory(own)
                ? command(role, System.getProperty("java.class.path"), Optional.empty(), arguments)
                : command(role, own.toString(), role.cache(own), arguments);
    }

    private static List<String> command(
            Jvm role, String classPath, Optional<Path> cache, String... arguments) {
        return role.command(Jvm.ownHome(), classPath, cache, List.of(), arguments);
    }

    /// The jar that this was started from, or the directory of its classes.
    static Path file() {
        try {
            return Path.of(
                    Sallyport.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException("this program's own file has no path", e);
        }
    }
}

package dev.sallyport.cli;

import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// How this very program is started again, in another role.
final class OwnProgram {
    /// What the process is for, which decides how the JVM is tuned: a command has to start fast, a
    /// daemon to run long.
    enum Role {
        COMMAND("cli.aot"),
        DAEMON("daemon.aot");

        /// What the launcher calls the class cache that it puts beside the jar.
        private final String cache;

        Role(String cache) {
            this.cache = cache;
        }
    }

    /// Nothing writes the memory of the process to a file, and nobody attaches to it.
    private static final List<String> WITHOUT_TRACES =
            List.of(
                    "-XX:-HeapDumpOnOutOfMemoryError",
                    "-XX:-CreateCoredumpOnCrash",
                    "-XX:ErrorFile=/dev/null",
                    "-XX:+DisableAttachMechanism");

    private OwnProgram() {}

    static List<String> command(Role role, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options(role));
        command.addAll(List.of("-cp", classPath(), Sallyport.class.getName()));
        command.addAll(List.of(arguments));
        return command;
    }

    private static List<String> options(Role role) {
        List<String> options = new ArrayList<>();
        options.add("-XX:+UseSerialGC");
        options.addAll(WITHOUT_TRACES);
        options.add("-XX:-UsePerfData");
        options.add("-Xlog:disable");
        options.add("--enable-native-access=ALL-UNNAMED");
        if (role == Role.COMMAND) {
            options.add("-XX:TieredStopAtLevel=1");
        }
        Path cache = Path.of(classPath()).resolveSibling(role.cache);
        if (Files.isReadable(cache)) {
            options.add("-XX:AOTCache=" + cache);
        }
        return options;
    }

    private static String classPath() {
        Path own = file();
        return Files.isDirectory(own) ? System.getProperty("java.class.path") : own.toString();
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

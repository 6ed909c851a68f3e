package dev.sallyport.cli;

import dev.sallyport.config.Home;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/// A person at a pipe: runs commands within this process and keeps what they print. The directory
/// is where they are, in their home.
final class Shell {
    private final Home home;
    private final Path person;
    private final Path directory;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    Shell(Home home, Path directory) {
        this(home, directory.resolveSibling("."), directory);
    }

    /// @param person their home
    Shell(Home home, Path person, Path directory) {
        this.home = home;
        this.person = person.normalize();
        this.directory = directory;
    }

    /// What was printed before is forgotten.
    int run(String in, String... arguments) {
        return Commands.execute(surroundings(in), arguments);
    }

    /// What the tab key would offer for the last word.
    List<String> completed(String... words) {
        Completions.print(surroundings(""), List.of(words));
        return out().lines().map(line -> line.replaceFirst("\t.*", "")).toList();
    }

    private Surroundings surroundings(String in) {
        out.reset();
        err.reset();
        return new Surroundings(
                Map.of(
                        "SALLYPORT_HOME",
                        home.root().toString(),
                        "HOME",
                        person.toString(),
                        "MINE",
                        "own"),
                new ByteArrayInputStream(in.getBytes(StandardCharsets.UTF_8)),
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                new Terminal(false, false, false),
                directory);
    }

    String out() {
        return out.toString(StandardCharsets.UTF_8);
    }

    String err() {
        return err.toString(StandardCharsets.UTF_8);
    }
}

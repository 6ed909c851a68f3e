package dev.sallyport.cli;

import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import picocli.CommandLine;

/// What a command can see of the process it runs in.
record Surroundings(
        Map<String, String> environment,
        InputStream in,
        PrintStream out,
        PrintStream err,
        Terminal terminal,
        Path directory) {
    private static final String LOCALE = "LC_ALL";
    private static final String KEPT_LOCALE = "SALLYPORT_LC_ALL";
    private static final String UTF_8_LOCALE = "C.UTF-8";

    static Surroundings ofThisProcess() {
        return new Surroundings(
                callers(System.getenv()),
                System.in,
                System.out,
                System.err,
                Terminal.ofThisProcess(),
                Path.of("").toAbsolutePath());
    }

    Surroundings in(Path other) {
        return new Surroundings(environment, in, out, err, terminal, other);
    }

    /// Whether what it reads and prints is what the process reads and prints.
    boolean areOfThisProcess() {
        return in.equals(System.in) && out.equals(System.out) && err.equals(System.err);
    }

    /// The launcher gives the JVM a locale whose file names are UTF-8, and keeps the caller's own.
    static Map<String, String> callers(Map<String, String> environment) {
        Map<String, String> own = new HashMap<>(environment);
        if (UTF_8_LOCALE.equals(own.get(LOCALE))) {
            own.remove(LOCALE);
        }
        String kept = own.remove(KEPT_LOCALE);
        if (kept != null) {
            own.put(LOCALE, kept);
        }
        return Map.copyOf(own);
    }

    /// Makes for a command what it is composed of.
    <T> T create(Class<T> type) throws Exception {
        if (type == Output.class) {
            return type.cast(new Output(this));
        }
        return type == SecretSource.class
                ? type.cast(new SecretSource(this))
                : CommandLine.defaultFactory().create(type);
    }

    /// Who runs this process, as the system says.
    static String account() {
        String name = System.getProperty("user.name", "");
        return name.isBlank() ? "unknown" : name.substring(0, Math.min(name.length(), 64));
    }

    Ink outInk() {
        return Ink.of(terminal.out(), environment);
    }

    Ink errInk() {
        return Ink.of(terminal.err(), environment);
    }
}

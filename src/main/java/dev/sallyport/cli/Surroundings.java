package dev.sallyport.cli;

import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Map;

/// What a command can see of the process it runs in.
record Surroundings(
        Map<String, String> environment,
        InputStream in,
        PrintStream out,
        PrintStream err,
        Terminal terminal,
        Path directory) {

    static Surroundings ofThisProcess() {
        return new Surroundings(
                System.getenv(),
                System.in,
                System.out,
                System.err,
                Terminal.ofThisProcess(),
                Path.of("").toAbsolutePath());
    }

    Ink outInk() {
        return Ink.of(terminal.out(), environment);
    }

    Ink errInk() {
        return Ink.of(terminal.err(), environment);
    }
}

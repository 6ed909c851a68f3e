package dev.sallyport.cli;

import dev.sallyport.config.GitSettings;
import dev.sallyport.control.Api;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What the launcher runs once after a build so that the JVM can note which classes a command line
/// needs (JEP 514). It touches what commands touch and changes nothing.
final class Training {
    private Training() {}

    static void run() {
        PrintStream nowhere =
                new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
        Surroundings surroundings =
                new Surroundings(
                        System.getenv(),
                        InputStream.nullInputStream(),
                        nowhere,
                        nowhere,
                        Terminal.ofThisProcess(),
                        Path.of("/"));
        for (List<String> arguments :
                List.of(
                        List.of("--help"),
                        List.of("run", "--help"),
                        List.of("secret", "--help"),
                        List.of("version", "--json"),
                        List.of("status", "--json"),
                        List.of("no-such-command"))) {
            Commands.execute(surroundings, arguments.toArray(String[]::new));
        }
        Json.write(
                new Api.CreateSandbox(
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        "/",
                        List.of(),
                        Api.ReachRequest.STANDARD,
                        GitSettings.STANDARD,
                        true,
                        Api.LifeRequest.STANDARD,
                        Api.MountRequest.NONE,
                        Api.ResourceRequest.STANDARD,
                        Api.HardeningRequest.STANDARD));
        Json.write(new Api.ExecAnswer(List.of("true"), Map.of(), true, List.of()));
        Origin.parse("[remote \"origin\"]\n\turl = https://github.com/acme/app.git\n");
        startSomething();
    }

    private static void startSomething() {
        try {
            Foreground.confined(new ProcessBuilder("true")).waitFor();
        } catch (IOException e) {
            // Then its classes are not noted, and a command takes a little longer.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

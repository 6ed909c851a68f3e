package dev.sallyport.bench;

import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.Packaged;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/// What the package takes on disk, and how long its commands take, with the files as they are
/// installed.
public final class PackageBench {
    private static final int ROUNDS = Run.sized(15, 3);
    private static final double MEGABYTE = 1e6;

    private PackageBench() {}

    public static void main(String[] args) throws IOException {
        Run.bench("package", PackageBench::measure);
    }

    private static void measure(Run run) throws IOException {
        Path root = run.root().resolve("package");
        String deb = Packaged.deb(Packaged.VERSION).toString();
        Command.of("dpkg-deb", "-x", deb, root.toString()).run().ok();
        Command.of(root + "/usr/bin/sallyport", "internal-train")
                .within(Duration.ofMinutes(5))
                .run()
                .ok();
        run.measure(
                new Contest("package-size", "the package, installed", 1)
                        .figure("program", "MB")
                        .figure("class caches", "MB")
                        .way(
                                Contest.US,
                                () -> List.of(megabytes(root, false), megabytes(root, true)))
                        .atMost("program", 90));
        run.using(() -> sallyport(run, root, "down").run());
        sallyport(run, root, "up").run().ok();
        run.measure(
                new Contest("package-version", "sallyport --version, installed", ROUNDS)
                        .figure("wall", "s")
                        .way(
                                Contest.US,
                                () -> StartBench.seconds(sallyport(run, root, "--version")))
                        .atMost("wall", 0.4));
        String[] words = {"run", "--runtime", "bubblewrap", "--no-repo", "--", "true"};
        run.measure(
                new Contest("package-run", "sallyport run -- true, installed, warm", ROUNDS)
                        .figure("wall", "s")
                        .way(Contest.US, () -> StartBench.seconds(sallyport(run, root, words)))
                        .atMost("wall", 0.4));
    }

    private static Command sallyport(Run run, Path root, String... arguments) throws IOException {
        List<String> argv = new ArrayList<>(List.of(root + "/usr/bin/sallyport"));
        argv.addAll(List.of(arguments));
        return Command.of(argv)
                .in(Files.createDirectories(run.root().resolve("work")))
                .with("SALLYPORT_HOME", run.root().resolve("home").toString());
    }

    private static double megabytes(Path root, boolean caches) throws IOException {
        Predicate<Path> wanted = file -> file.toString().endsWith(".aot") == caches;
        long bytes = 0;
        try (Stream<Path> files = Files.walk(root)) {
            for (Path file : files.filter(Files::isRegularFile).filter(wanted).toList()) {
                bytes += Files.isSymbolicLink(file) ? 0 : Files.size(file);
            }
        }
        return bytes / MEGABYTE;
    }
}

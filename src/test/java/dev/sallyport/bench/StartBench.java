package dev.sallyport.bench;

import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.Installation;
import java.io.IOException;
import java.util.List;

/// How long a person waits for a command, when the daemons run.
public final class StartBench {
    private static final int ROUNDS = Run.sized(15, 3);

    private StartBench() {}

    public static void main(String[] args) throws IOException {
        Run.bench("start", StartBench::measure);
    }

    private static void measure(Run run) throws IOException {
        Installation sallyport = run.using(Installation.bare(run.root().resolve("i")));
        sallyport.sallyport("up").run().ok();
        run.measure(
                new Contest("start-run", "sallyport run -- true, warm", ROUNDS)
                        .figure("wall", "s")
                        .usage("s")
                        .way(
                                "bubblewrap alone",
                                () ->
                                        seconds(
                                                Command.of(
                                                        "bwrap",
                                                        "--unshare-all",
                                                        "--ro-bind",
                                                        "/",
                                                        "/",
                                                        "true")))
                        .way(
                                Contest.US,
                                () ->
                                        seconds(
                                                sallyport.sallyport(
                                                        "run",
                                                        "--runtime",
                                                        "bubblewrap",
                                                        "--no-repo",
                                                        "--",
                                                        "true")),
                                () -> Usage.processesOf(sallyport))
                        .atMost("wall", 0.4));
        run.measure(
                new Contest("start-help", "sallyport --help", ROUNDS)
                        .figure("wall", "s")
                        .way(Contest.US, () -> seconds(sallyport.sallyport("--help")))
                        .atMost("wall", 0.4));
    }

    static List<Double> seconds(Command command) {
        long start = System.nanoTime();
        command.run().ok();
        return List.of((System.nanoTime() - start) / 1e9);
    }
}

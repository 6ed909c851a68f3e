package dev.sallyport.bench;

import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.GitServer;
import dev.sallyport.fixture.Installation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/// Clones of a 300 MB repository that is 40 ms and 200 Mbit/s away: direct, through the gateway
/// from its copy, and as the workspace of a new sandbox.
public final class FarCloneBench {
    private static final int ROUND_TRIP_MILLIS = 40;
    private static final long BITS_PER_SECOND = 200_000_000;
    private static final int VERSIONS = 10;
    private static final int FILES = 30;
    private static final int FILE_BYTES = 1 << 20;
    private static final int REPETITIONS = 5;
    private static final int AT_ONCE = 8;

    private final Path root;
    private final GitServer server;
    private final FarRelay relay;
    private final Installation sallyport;

    private FarCloneBench(Path root) throws IOException {
        this.root = root;
        this.server = GitServer.start(Files.createDirectory(root.resolve("server")));
        this.relay = new FarRelay(server.port(), ROUND_TRIP_MILLIS, BITS_PER_SECOND);
        this.sallyport = Installation.with(root.resolve("i"), server);
        Path policy = sallyport.home().resolve("policy.yaml");
        sallyport.policy(
                Files.readString(policy).replace(server.dial(), "127.0.0.1:" + relay.port()));
        sallyport.sallyport("down").run();
    }

    public static void main(String[] args) throws IOException {
        Path root = Files.createTempDirectory("sp-bench");
        FarCloneBench bench = new FarCloneBench(root);
        try {
            // All of it checked out, and a tenth of it.
            bench.run("large", 1);
            bench.run("long", VERSIONS);
        } finally {
            bench.sallyport.close();
            bench.server.close();
            bench.relay.close();
            Command.of("rm", "-rf", root.toString()).run();
        }
    }

    private void run(String name, int versions) throws IOException {
        fill(server.repository("acme", name), name, versions);
        double direct = median(3, i -> direct(name, "direct-" + name + i));
        report(name, "direct", direct, direct);
        long before = packs(name);
        double cold = seconds(() -> atOnce(name));
        report(name, AT_ONCE + " x run --clone at once, cold", cold, direct);
        System.out.printf("%-6s fetches of the pack: %d%n", name, packs(name) - before);
        report(name, "run --clone, warm, to its command", untilCommand(name), direct);
        report(
                name,
                "run --clone, warm, to its end",
                median(REPETITIONS, _ -> clone(name)),
                direct);
        report(name, "run, no repository", median(REPETITIONS, _ -> bare()), direct);
        newSandbox(name);
        inside(name, 0);
        double warm = median(REPETITIONS, i -> inside(name, i + 1));
        report(name, "git clone through the gateway, warm", warm, direct);
    }

    private long packs(String name) {
        return server.requests().stream()
                .filter(line -> line.contains("POST /acme/" + name + ".git/git-upload-pack"))
                .count();
    }

    private void atOnce(String name) {
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 0; i < AT_ONCE; i++) {
            all.add(CompletableFuture.runAsync(() -> clone(name), Thread::startVirtualThread));
        }
        all.forEach(CompletableFuture::join);
    }

    private void clone(String name) {
        ask("run", "--runtime", "bubblewrap", "--clone", repo(name), "--", "true");
    }

    /// When the workspace is there, which is all that a direct clone gives.
    private double untilCommand(String name) {
        double[] all = new double[REPETITIONS];
        for (int i = 0; i < REPETITIONS; i++) {
            Instant begun = Instant.now();
            String said =
                    ask(
                            "run",
                            "--runtime",
                            "bubblewrap",
                            "--clone",
                            repo(name),
                            "--",
                            "date",
                            "+%s%N");
            Instant reached = Instant.EPOCH.plusNanos(Long.parseLong(said.strip()));
            all[i] = Duration.between(begun, reached).toNanos() / 1e9;
        }
        Arrays.sort(all);
        return all[REPETITIONS / 2];
    }

    private void bare() {
        ask("run", "--runtime", "bubblewrap", "--no-repo", "--", "true");
    }

    private void newSandbox(String name) {
        ask("new", "--runtime", "bubblewrap", "--name", name, "--repo", repo(name));
    }

    private void inside(String name, int i) {
        String target = "/tmp/" + name + i;
        String script = "git clone -q https://%s %s && rm -rf %2$s".formatted(repo(name), target);
        ask("exec", name, "--", "bash", "-c", script);
    }

    private String ask(String... words) {
        return sallyport.sallyport(words).within(Duration.ofMinutes(10)).run().ok();
    }

    private static String repo(String name) {
        return GitServer.HOST + "/acme/" + name;
    }

    private void direct(String name, String target) {
        GitServer.git(
                root,
                "-c",
                "http.sslCAInfo=" + server.caFile(),
                "-c",
                "http.curloptResolve=" + GitServer.HOST + ":" + relay.port() + ":127.0.0.1",
                "clone",
                "-q",
                "https://%s:%s@%s:%d/acme/%s.git"
                        .formatted(
                                GitServer.USER,
                                GitServer.TOKEN,
                                GitServer.HOST,
                                relay.port(),
                                name),
                target);
        Command.of("rm", "-rf", root.resolve(target).toString()).run();
    }

    private interface Attempt {
        void run(int number);
    }

    private static double median(int count, Attempt attempt) {
        double[] all = new double[count];
        for (int i = 0; i < count; i++) {
            int number = i;
            all[i] = seconds(() -> attempt.run(number));
        }
        Arrays.sort(all);
        return all[count / 2];
    }

    private static void report(String name, String what, double seconds, double direct) {
        System.out.printf(
                "%-6s %-40s %6.2f s   direct is %5.1f times as long%n",
                name, what, seconds, direct / seconds);
    }

    /// The same bytes in one version of many files, or in many versions of fewer.
    private void fill(Path bare, String name, int versions) throws IOException {
        Path work = Files.createDirectory(root.resolve("source-" + name));
        GitServer.git(work, "init", "-q", "-b", "main");
        Random random = new Random(42);
        byte[] bytes = new byte[FILE_BYTES];
        for (int version = 0; version < versions; version++) {
            for (int i = 0; i < FILES * VERSIONS / versions; i++) {
                random.nextBytes(bytes);
                Files.write(work.resolve("file-" + i), bytes);
            }
            GitServer.git(work, "-c", "core.compression=0", "add", "-A");
            GitServer.git(work, "commit", "-q", "-m", "bytes that do not compress");
        }
        GitServer.git(bare, "config", "pack.window", "0");
        GitServer.git(
                work, "-c", "pack.window=0", "push", "-q", "--force", bare.toString(), "main");
    }

    private static double seconds(Runnable action) {
        long start = System.nanoTime();
        action.run();
        return (System.nanoTime() - start) / 1e9;
    }
}

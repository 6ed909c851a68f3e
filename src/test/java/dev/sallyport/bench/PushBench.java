package dev.sallyport.bench;

import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.GitServer;
import dev.sallyport.fixture.Installation;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/// What judging costs: a large push, and a small push to a large repository, each directly and
/// through the gateway in one run.
public final class PushBench {
    private static final int LARGE_COMMITS = 1_000;
    private static final int LARGE_FILE_BYTES = 100_000;
    private static final int HISTORY_COMMITS = 50_000;
    private static final int SMALL_PUSHES = 15;

    private final Path root;
    private final GitServer server;
    private final Installation sallyport;

    private PushBench(Path root) throws IOException {
        this.root = root;
        this.server = GitServer.start(Files.createDirectory(root.resolve("server")));
        this.sallyport = Installation.with(root.resolve("i"), server);
    }

    public static void main(String[] args) throws IOException {
        Path root = Files.createTempDirectory("sp-bench");
        PushBench bench = new PushBench(root);
        try {
            bench.run();
        } finally {
            bench.sallyport.close();
            bench.server.close();
            Command.of("rm", "-rf", root.toString()).run();
        }
    }

    private void run() throws IOException {
        server.repository("acme", "large");
        server.repository("acme", "deep");
        sallyport
                .sallyport(
                        "new",
                        "--name",
                        "bench",
                        "--runtime",
                        "bubblewrap",
                        "--repo",
                        GitServer.HOST + "/acme/large",
                        "--repo",
                        GitServer.HOST + "/acme/deep")
                .run()
                .ok();
        largePush();
        smallPushes();
    }

    /// The sandbox's workspace is the installation's, so both sides push the same repository.
    private void largePush() throws IOException {
        Path work = sallyport.workspace().resolve("large");
        GitServer.git(root, "clone", "-q", bare("large").toString(), work.toString());
        fastImport(work, LARGE_COMMITS, LARGE_FILE_BYTES, "refs/heads/main");
        // Both copies of the repository exist before the clock runs.
        inside("large", "git push -q https://HOST/acme/large main~1000:refs/heads/agent/warm");
        double direct = seconds(() -> direct(work, "large", "main:refs/heads/agent/direct"));
        GitServer.git(bare("large"), "update-ref", "-d", "refs/heads/agent/direct");
        GitServer.git(bare("large"), "prune", "--expire=now");
        try (GatewayMemory memory = new GatewayMemory(sallyport)) {
            double through =
                    seconds(
                            () ->
                                    inside(
                                            "large",
                                            "git push -q https://HOST/acme/large main:refs/heads/agent/through"));
            double megabytes = (double) LARGE_COMMITS * LARGE_FILE_BYTES / 1e6;
            System.out.printf(
                    "push of %.0f MB in %d commits: direct %.2f s, through Sallyport %.2f s (%.1f MB/s with judging, spooling and upstream's own work), ratio %.2f, gateway memory growth %.1f MiB%n",
                    megabytes,
                    LARGE_COMMITS,
                    direct,
                    through,
                    megabytes / through,
                    through / direct,
                    memory.growthBytes() / 1048576.0);
        }
    }

    private void smallPushes() throws IOException {
        Path work = sallyport.workspace().resolve("deep");
        GitServer.git(root, "clone", "-q", bare("deep").toString(), work.toString());
        fastImport(work, HISTORY_COMMITS, 40, "refs/heads/main");
        GitServer.git(work, "push", "-q", bare("deep").toString(), "main");
        String objects =
                GitServer.git(bare("deep"), "count-objects", "-v")
                        .lines()
                        .filter(line -> line.startsWith("in-pack"))
                        .findFirst()
                        .orElse("");
        double first =
                seconds(
                        () ->
                                inside(
                                        "deep",
                                        "git push -q https://HOST/acme/deep main:refs/heads/agent/first"));
        List<Double> direct = new ArrayList<>();
        List<Double> through = new ArrayList<>();
        for (int i = 0; i < SMALL_PUSHES; i++) {
            fastImport(work, 1, 40, "refs/heads/main");
            direct.add(seconds(() -> direct(work, "deep", "main:refs/heads/agent/direct")));
            fastImport(work, 1, 40, "refs/heads/main");
            through.add(
                    seconds(
                            () ->
                                    inside(
                                            "deep",
                                            "git push -q https://HOST/acme/deep main:refs/heads/agent/through")));
        }
        List<Double> starts = new ArrayList<>();
        for (int i = 0; i < SMALL_PUSHES; i++) {
            starts.add(seconds(() -> inside("deep", "true")));
        }
        double overhead = median(starts);
        double medianDirect = median(direct);
        double medianThrough = median(through) - overhead;
        System.out.printf(
                "one commit to a repository of %s objects: direct %.0f ms, through Sallyport %.0f ms (less %.0f ms for starting the sandbox's command), %.0f ms more, ratio %.2f; the first push, which copies the repository, %.1f s%n",
                objects,
                medianDirect * 1e3,
                medianThrough * 1e3,
                overhead * 1e3,
                (medianThrough - medianDirect) * 1e3,
                medianThrough / medianDirect,
                first);
    }

    private static double median(List<Double> values) {
        List<Double> sorted = new ArrayList<>(values);
        Collections.sort(sorted);
        return sorted.get(sorted.size() / 2);
    }

    /// Commits that each add one file of random bytes, in directories of a hundred.
    static void fastImport(Path work, int commits, int bytes, String ref) throws IOException {
        Random random = new Random();
        Process git =
                new ProcessBuilder("git", "fast-import", "--quiet", "--force")
                        .directory(work.toFile())
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        try (OutputStream out = git.getOutputStream()) {
            byte[] content = new byte[bytes];
            long now = System.currentTimeMillis() / 1_000;
            for (int i = 0; i < commits; i++) {
                random.nextBytes(content);
                String head =
                        "commit "
                                + ref
                                + "\ncommitter T <t@test.example> "
                                + now
                                + " +0000\ndata 1\nx\n"
                                + (i == 0 ? "from " + ref + "^0\n" : "")
                                + "M 100644 inline d"
                                + random.nextInt(1_000)
                                + "/f"
                                + random.nextLong()
                                + "\ndata "
                                + bytes
                                + "\n";
                out.write(head.getBytes(StandardCharsets.US_ASCII));
                out.write(content);
                out.write('\n');
            }
        }
        try {
            if (git.waitFor() != 0) {
                throw new IOException("git fast-import failed");
            }
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    private Path bare(String name) {
        return server.repositories().resolve("acme/" + name + ".git");
    }

    private void direct(Path work, String name, String refspec) {
        GitServer.git(
                work,
                "-c",
                "http.sslCAInfo=" + server.caFile(),
                "-c",
                "http.curloptResolve=" + GitServer.HOST + ":" + server.port() + ":127.0.0.1",
                "push",
                "-q",
                "https://"
                        + GitServer.USER
                        + ":"
                        + GitServer.TOKEN
                        + "@"
                        + GitServer.HOST
                        + ":"
                        + server.port()
                        + "/acme/"
                        + name
                        + ".git",
                refspec);
    }

    private void inside(String directory, String script) {
        sallyport
                .sallyport(
                        "exec",
                        "bench",
                        "--",
                        "bash",
                        "-c",
                        "cd " + directory + " && " + script.replace("HOST", GitServer.HOST))
                .within(Duration.ofMinutes(5))
                .run()
                .ok();
    }

    private static double seconds(Runnable action) {
        long start = System.nanoTime();
        action.run();
        return (System.nanoTime() - start) / 1e9;
    }
}

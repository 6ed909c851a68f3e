package dev.sallyport.bench;

import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.GitServer;
import dev.sallyport.fixture.Installation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;

/// Clone and push of a 300 MB repository, direct and through the gateway, in one run.
public final class GitTransferBench {
    private static final int FILES = 300;
    private static final int FILE_BYTES = 1 << 20;

    private final Path root;
    private final GitServer server;
    private final Installation sallyport;

    private GitTransferBench(Path root) throws IOException {
        this.root = root;
        this.server = GitServer.start(Files.createDirectory(root.resolve("server")));
        this.sallyport = Installation.with(root.resolve("i"), server);
    }

    public static void main(String[] args) throws IOException {
        Path root = Files.createTempDirectory("sp-bench");
        GitTransferBench bench = new GitTransferBench(root);
        try {
            bench.run();
        } finally {
            bench.sallyport.close();
            bench.server.close();
            Command.of("rm", "-rf", root.toString()).run();
        }
    }

    private void run() throws IOException {
        Path bare = fill(server.repository("acme", "large"));
        newSandbox();
        String ids = GitServer.git(bare, "rev-list", "--objects", "--all");
        double direct = seconds(() -> GitServer.git(root, clone(directUrl(), "direct")));
        try (GatewayMemory memory = new GatewayMemory(sallyport)) {
            double through =
                    seconds(() -> inside("rm -rf app && git clone -q https://HOST/acme/large app"));
            boolean same = inside("git -C app rev-list --objects --all").equals(ids);
            report("clone", direct, through, same, memory.growthBytes());
        }
        push(bare);
    }

    private void push(Path bare) throws IOException {
        server.repository("acme", "target");
        String source = "git -C app push -q --force";
        double direct =
                seconds(
                        () ->
                                GitServer.git(
                                        root.resolve("direct"),
                                        "-c",
                                        "http.sslCAInfo=" + server.caFile(),
                                        "-c",
                                        resolve(),
                                        "push",
                                        "-q",
                                        directUrl().replace("large", "target"),
                                        "HEAD:refs/heads/agent/direct"));
        server.repository("acme", "target2");
        try (GatewayMemory memory = new GatewayMemory(sallyport)) {
            double through =
                    seconds(
                            () ->
                                    inside(
                                            source
                                                    + " https://HOST/acme/target2 HEAD:refs/heads/agent/through"));
            Path target = server.repositories().resolve("acme/target2.git");
            boolean same =
                    GitServer.git(target, "rev-list", "--objects", "agent/through")
                            .equals(GitServer.git(bare, "rev-list", "--objects", "main"));
            report("push", direct, through, same, memory.growthBytes());
        }
    }

    private static void report(
            String what, double direct, double through, boolean same, long growth) {
        System.out.printf(
                "%-6s direct %6.2f s   through Sallyport %6.2f s   ratio %5.2f   identical object ids: %s   gateway memory growth %5.1f MiB%n",
                what, direct, through, through / direct, same, growth / 1048576.0);
    }

    private Path fill(Path bare) throws IOException {
        Path work = Files.createDirectory(root.resolve("source"));
        GitServer.git(work, "init", "-q", "-b", "main");
        Random random = new Random(42);
        byte[] bytes = new byte[FILE_BYTES];
        for (int i = 0; i < FILES; i++) {
            random.nextBytes(bytes);
            Files.write(work.resolve("file-" + i), bytes);
        }
        GitServer.git(work, "add", "-A");
        GitServer.git(work, "commit", "-q", "-m", "300 MB that do not compress");
        GitServer.git(work, "push", "-q", "--force", bare.toString(), "main");
        return bare;
    }

    private void newSandbox() {
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
                        GitServer.HOST + "/acme/target2")
                .run()
                .ok();
    }

    private String inside(String script) {
        return sallyport
                .sallyport(
                        "exec", "bench", "--", "bash", "-c", script.replace("HOST", GitServer.HOST))
                .within(Duration.ofMinutes(5))
                .run()
                .ok();
    }

    private String directUrl() {
        return "https://"
                + GitServer.USER
                + ":"
                + GitServer.TOKEN
                + "@"
                + GitServer.HOST
                + ":"
                + server.port()
                + "/acme/large.git";
    }

    private String resolve() {
        return "http.curloptResolve=" + GitServer.HOST + ":" + server.port() + ":127.0.0.1";
    }

    private String[] clone(String url, String target) {
        return new String[] {
            "-c", "http.sslCAInfo=" + server.caFile(), "-c", resolve(), "clone", "-q", url, target
        };
    }

    private static double seconds(Runnable action) {
        long start = System.nanoTime();
        action.run();
        return (System.nanoTime() - start) / 1e9;
    }
}

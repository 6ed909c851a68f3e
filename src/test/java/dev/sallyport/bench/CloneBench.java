package dev.sallyport.bench;

import dev.sallyport.fixture.GitServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;

/// Clones of a repository with much content and of one with many objects. Sallyport relays them;
/// from its copy they are another way, which other proxies do not have.
public final class CloneBench {
    private static final int ROUNDS = Run.sized(5, 1);
    private static final int MEGABYTES = Run.sized(300, 30);
    private static final int COMMITS = Run.sized(50_000, 5_000);

    private CloneBench() {}

    public static void main(String[] args) throws IOException {
        Run.bench("clone", CloneBench::measure);
    }

    private static void measure(Run run) throws IOException {
        GitWays git = new GitWays(run);
        fill(git, "large", 1, MEGABYTES, 1_000_000);
        fill(git, "deep", COMMITS, 1, 40);
        git.newSandbox(
                """
                git:
                  - {repo: "%1$s/acme/large", access: read, mirror: off}
                  - {repo: "%1$s/acme/deep", access: read, mirror: off}
                  - {repo: "%1$s/acme/large-copied", access: read, mirror: on}
                """
                        .formatted(GitServer.HOST),
                List.of("large", "deep", "large-copied"));
        Proxies.Field proxies = git.proxies().start("nginx", "haproxy", "squid", "mitmproxy");
        large(run, git, proxies);
        deep(run, git, proxies);
    }

    /// The same repository under a second name, so that its copy is another one's.
    private static void fill(GitWays git, String name, int commits, int files, int bytes)
            throws IOException {
        Path bare = git.repository(name);
        PushBench.fastImport(bare, new PushBench.History(commits, files, bytes), "refs/heads/main");
        GitServer.git(bare, "repack", "-adq");
        Files.createSymbolicLink(bare.resolveSibling(name + "-copied.git"), bare.getFileName());
    }

    private static void large(Run run, GitWays git, Proxies.Field proxies) throws IOException {
        Contest contest =
                new Contest("clone-large", "clone of " + MEGABYTES + " MB", ROUNDS)
                        .figure("wall", "s")
                        .usage("s");
        Function<String, String> script = cloneOf("large");
        git.direct(contest, script);
        git.through(contest, proxies, script);
        git.sandboxed(contest, Contest.US, script);
        git.sandboxed(contest, "Sallyport, its copy", cloneOf("large-copied"));
        run.measure(
                contest.without("tinyproxy", Proxies.NO_TLS)
                        .atMost("wall", 1.1, "nginx")
                        .atMost(Contest.CPU, 0.6)
                        .atMost(Contest.MEMORY, 350));
    }

    private static void deep(Run run, GitWays git, Proxies.Field proxies) throws IOException {
        Contest contest =
                new Contest("clone-deep", "clone of " + COMMITS * 4 + " objects", ROUNDS)
                        .figure("wall", "s")
                        .usage("s");
        Function<String, String> script = cloneOf("deep");
        git.direct(contest, script);
        git.through(contest, proxies, script);
        git.sandboxed(contest, Contest.US, script);
        run.measure(contest.atMost("wall", 1.1, Contest.DIRECT));
    }

    private static Function<String, String> cloneOf(String name) {
        return _ -> "rm -rf clone\n--\n@GIT@ clone -q --bare @URL@/" + name + ".git clone";
    }
}

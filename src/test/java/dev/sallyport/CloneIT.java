package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.GitServer;
import dev.sallyport.fixture.Installation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// Workspaces that are clones: real sandboxes, real git, a real server behind TLS and a token.
class CloneIT {
    private static final String APP = GitServer.HOST + "/acme/app";
    private static final String IDENTITY =
            "git config --global user.name A && git config --global user.email a@test.example;";

    private static Path root;
    private static GitServer server;
    private static Installation sallyport;
    private static Path app;

    @BeforeAll
    static void startEverything() throws IOException {
        root = Files.createTempDirectory("sp-clone");
        server = GitServer.start(Files.createDirectory(root.resolve("server")));
        app = server.repository("acme", "app");
        sallyport = Installation.with(root.resolve("i"), server);
        Path policy = sallyport.home().resolve("policy.yaml");
        sallyport.policy(
                Files.readString(policy)
                        + """
                        git:
                          - repo: %s/acme/private
                            access: write
                            mirror: off
                        """
                                .formatted(GitServer.HOST));
        sallyport.sallyport("down").run();
    }

    @AfterAll
    static void stopEverything() {
        sallyport.close();
        server.close();
        Command.of("rm", "-rf", root.toString()).run().ok();
    }

    private static Command run(String repo, String script, String... options) {
        List<String> words = new ArrayList<>(List.of("run", "--runtime", "bubblewrap"));
        words.addAll(List.of("--clone", repo));
        words.addAll(List.of(options));
        words.addAll(List.of("--", "bash", "-c", script));
        return sallyport.sallyport(words.toArray(String[]::new));
    }

    private static List<Path> clones() throws IOException {
        Path clones = sallyport.home().resolve("clones");
        if (!Files.isDirectory(clones)) {
            return List.of();
        }
        try (Stream<Path> all = Files.list(clones)) {
            return all.toList();
        }
    }

    @Test
    void worksOnABranchOfItsOwnSharesObjectsPushesAndIsRemoved() throws IOException {
        String script =
                IDENTITY
                        + "set -e; git branch --show-current; cat README.md; objects=$(cat .git/objects/info/alternates);"
                        + " ls $objects/pack/*.pack >&2; ls .git/objects/pack | wc -l;"
                        + " ! touch $objects/x 2>/dev/null; ! chmod 666 $objects/pack/*.pack 2>/dev/null;"
                        + " ! rm -f $objects/pack/*.pack 2>/dev/null; git fsck >&2;"
                        + " echo 1 > f; git add f; git commit -qm one; git push -q; git rev-parse HEAD";

        Command.Result result = run(APP, script, "--name", "fix").run();

        List<String> lines = result.ok().lines().toList();
        assertThat(lines.subList(0, 3)).containsExactly("agent/fix", "# acme/app", "0");
        assertThat(lines.getLast()).isEqualTo(GitServer.git(app, "rev-parse", "agent/fix"));
        assertThat(clones()).doesNotContain(sallyport.home().resolve("clones/fix"));
        assertThat(result.err()).doesNotContain("not upstream");
    }

    @Test
    void unpushedWorkIsKeptWhereTheHostsGitCanReadItAndRunsNothingOfTheAgents() throws IOException {
        Path proof = root.resolve("ran");
        String script =
                IDENTITY
                        + "echo 1 > f; git add f; git commit -qm kept; git config core.fsmonitor 'sh -c \"touch "
                        + proof
                        + "\"'";

        Command.Result result = run(APP, script, "--name", "kept").run();

        result.ok();
        Path clone = sallyport.home().resolve("clones/kept");
        assertThat(result.err()).contains("git fetch '" + clone).contains("rm -rf '" + clone);
        assertThat(GitServer.git(clone, "status", "--short")).isEmpty();
        assertThat(proof).doesNotExist();
        assertThat(GitServer.git(clone, "remote")).isEqualTo("origin");
        Path own = root.resolve("work-kept");
        GitServer.git(root, "clone", "-q", app.toString(), own.toString());
        GitServer.git(
                own, "fetch", "-q", clone.toString(), "refs/heads/agent/*:refs/heads/agent/*");
        assertThat(GitServer.git(own, "log", "-1", "--format=%s", "agent/kept")).isEqualTo("kept");

        Command again =
                sallyport.sallyport(
                        "run",
                        "--runtime",
                        "bubblewrap",
                        "--repo",
                        APP,
                        "--workspace",
                        clone.toString(),
                        "--",
                        "git",
                        "log",
                        "-2",
                        "--format=%s");
        assertThat(again.run().ok()).isEqualTo("kept\nfirst");
    }

    @Test
    void aSandboxThatStaysHasItsCloneUntilItIsDestroyed() throws IOException {
        server.repository("acme", "stays");
        sallyport
                .sallyport(
                        "new",
                        "--runtime",
                        "bubblewrap",
                        "--name",
                        "stays",
                        "--clone",
                        "https://" + GitServer.HOST + "/acme/stays.git")
                .run()
                .ok();
        assertThat(sallyport.sallyport("exec", "stays", "--", "git", "status", "-bs").run().ok())
                .isEqualTo("## agent/stays");
        assertThat(sallyport.sallyport("show", "stays").run().ok()).contains("clones/stays");
        assertThat(clones()).contains(sallyport.home().resolve("clones/stays"));

        sallyport.sallyport("destroy", "stays").run().ok();

        assertThat(clones()).doesNotContain(sallyport.home().resolve("clones/stays"));
    }

    /// As a person does who is told to remove a clone with `rm`, and uses its name again.
    @Test
    void aCloneSeesNothingOfAnEarlierOneOfItsName() throws IOException {
        String first = GitServer.git(app, "rev-parse", "main");
        server.repository("acme", "second");
        run(APP, "touch f", "--name", "again").run().ok();
        Path clone = sallyport.home().resolve("clones/again");
        Command.of("rm", "-r", clone.toString()).run().ok();
        String script =
                "lent=$(cat .git/objects/info/alternates); git log --format=%s;"
                        + " for d in $lent/.. $(cut -d' ' -f2 /proc/mounts | grep /lent); do"
                        + " git --git-dir=$d cat-file -e "
                        + first
                        + " 2>/dev/null && echo seen; done; true";
        assertThat(run(GitServer.HOST + "/acme/second", script, "--name", "again").run().ok())
                .isEqualTo("first");
    }

    @Test
    void aRepositoryThatIsNotCopiedIsClonedThroughTheDoor() throws IOException {
        server.repository("acme", "private");
        String script = "git branch --show-current; test -e .git/objects/info/alternates; echo $?";
        Command.Result result =
                run(GitServer.HOST + "/acme/private", script, "--name", "plain").run();
        assertThat(result.ok()).isEqualTo("agent/plain\n1");
        assertThat(clones()).doesNotContain(sallyport.home().resolve("clones/plain"));
    }

    @Test
    void whatCannotBeClonedIsSaidAndLeavesNothing() throws IOException {
        List<Path> before = clones();
        GitServer.git(root, "init", "-q", "--bare", server.repositories() + "/acme/headless.git");
        Path headless = server.repositories().resolve("acme/headless.git");
        GitServer.git(headless, "fetch", "-q", app.toString(), "main:refs/heads/other");
        GitServer.git(headless, "symbolic-ref", "HEAD", "refs/heads/none");

        Command.Result missing = run(GitServer.HOST + "/acme/missing", "true").run();
        Command.Result branch = run(APP, "true", "--branch", "nowhere").run();
        Command.Result without = run(GitServer.HOST + "/acme/headless", "true").run();
        Command.Result malformed = run("acme/*", "true").run();
        Command.Result twice = run(APP, "true", "--workspace", "/tmp").run();

        assertThat(missing.exit()).isEqualTo(125);
        assertThat(missing.err()).contains("acme/missing was not cloned");
        assertThat(branch.err()).contains("There is no branch nowhere");
        assertThat(without.err()).contains("no default branch").contains("--branch");
        assertThat(malformed.err()).contains("--clone names one repository");
        assertThat(twice.err()).contains("does not go with --workspace");
        assertThat(clones()).isEqualTo(before);
        assertThat(sallyport.sallyport("list", "--json").run().ok()).doesNotContain("missing-");
    }
}

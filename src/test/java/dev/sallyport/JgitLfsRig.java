package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.Installation;
import dev.sallyport.fixture.JgitLfs;
import dev.sallyport.fixture.LfsRepository;
import dev.sallyport.git.GitBackend;
import dev.sallyport.git.TestPki;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// A git host whose large files are with JGit's LFS server, and an installation that knows both.
/// Each has an address and a certificate authority of its own.
public final class JgitLfsRig implements AutoCloseable {
    static final String HOST = "git.jgit.example";

    /// In this repository the store is listed, in the other one it is not.
    static final String LISTED = HOST + "/acme/app";

    static final String UNLISTED = HOST + "/acme/docs";

    /// What every commit has.
    static final byte[] SHARED =
            "what everybody has\n".repeat(200_000).getBytes(StandardCharsets.UTF_8);

    private static final String USER = "x-access-token";
    private static final String TOKEN = "ghp_" + "Jg1tT0kenJg1tT0kenJg1tT0kenJg1tT0k42";

    private final Path root;
    final GitBackend git;
    final JgitLfs server;
    final Installation sallyport;
    final String sharedOid;
    private int pushes;

    public JgitLfsRig(Map<String, String> environment) throws Exception {
        root = Files.createTempDirectory("sp-jgit-lfs");
        TestPki home = new TestPki();
        TestPki store = new TestPki();
        Path repos = Files.createDirectories(root.resolve("repos"));
        git = new GitBackend(repos, home.server(HOST), USER, TOKEN);
        server =
                new JgitLfs(
                        root.resolve("objects"),
                        git,
                        store.server(JgitLfs.STORE),
                        GitBackend.basic(USER, TOKEN),
                        "acme/app",
                        "acme/docs");
        sharedOid = server.put(SHARED);
        LfsRepository.make(root, repos, "app", sharedOid, SHARED.length);
        LfsRepository.make(root, repos, "docs", sharedOid, SHARED.length);
        sallyport = Installation.bare(root.resolve("i"), environment);
        Files.writeString(sallyport.home().resolve("ca.pem"), home.caPem());
        Files.writeString(sallyport.home().resolve("store-ca.pem"), store.caPem());
        sallyport.policy(
                """
                hosts:
                  - {name: %1$s, kind: plain, ca-file: ca.pem, dial: "%2$s"}
                  - {name: %3$s, kind: plain, ca-file: store-ca.pem, dial: "%4$s"}
                git:
                  - {repo: %1$s/acme/app, access: write, lfs: {storage: [%3$s]}}
                  - {repo: %1$s/acme/docs, access: write}
                """
                        .formatted(HOST, git.dial(), JgitLfs.STORE, server.dial()));
        sallyport
                .sallyport("secret", "set", "git", "--host", HOST, "--user", USER)
                .input(TOKEN + "\n")
                .run()
                .ok();
    }

    public void create(String box, String... more) {
        List<String> arguments =
                new ArrayList<>(
                        List.of("new", "--name", box, "--repo", LISTED, "--repo", UNLISTED));
        arguments.addAll(List.of(more));
        sallyport.sallyport(arguments.toArray(String[]::new)).run().ok();
    }

    /// Pushes a branch with one large file. What is sent has no blocks on disk; what arrives is
    /// checked by JGit, and removed again.
    ///
    /// @return how long it took from the file to the end of the push
    public Duration push(String box, long bytes) throws IOException {
        String branch = "agent/large-" + pushes++;
        long from = System.nanoTime();
        String oid =
                inClone(
                                box,
                                """
                                git checkout -q -b BRANCH; truncate -s BYTES large; oid=$(sha256sum large | cut -c1-64)
                                printf 'version https://git-lfs.github.com/spec/v1\\noid sha256:%s\\nsize BYTES\\n' $oid > large.bin
                                at=.git/lfs/objects/${oid:0:2}/${oid:2:2}; mkdir -p $at; mv large $at/$oid
                                git add large.bin; git commit -qm large; git push -q origin BRANCH >&2; echo $oid
                                """
                                        .replace("BRANCH", branch)
                                        .replace("BYTES", Long.toString(bytes)))
                        .ok();
        Duration took = Duration.ofNanos(System.nanoTime() - from);
        assertThat(Files.size(server.object(oid))).isEqualTo(bytes);
        assertThat(git.seen()).anyMatch(GitBackend.Seen::isPush);
        Files.delete(server.object(oid));
        return took;
    }

    void reset() {
        server.seen().clear();
        server.expired.set(0);
        git.seen().clear();
    }

    /// In a new clone of the repository in which the store is listed.
    Command.Result inClone(String box, String script) {
        return inside(box, clone(LISTED) + script);
    }

    static String clone(String repository) {
        return "set -e; cd $(mktemp -d); git config --global user.name A;"
                + " git config --global user.email a@test.example; git clone -q https://"
                + repository
                + " . ; ";
    }

    /// What comes back has nothing of a credential in it, nor of where the store is.
    Command.Result inside(String box, String script) {
        Command.Result result =
                sallyport
                        .sallyport("exec", box, "--", "bash", "-c", script)
                        .within(Duration.ofMinutes(5))
                        .run();
        assertThat(result.all()).doesNotContain(TOKEN).doesNotContain("not:required");
        assertThat(server.seen())
                .allMatch(seen -> seen.host().equals(JgitLfs.STORE))
                .allMatch(seen -> seen.credential().equals("not:required"));
        return result;
    }

    @Override
    public void close() {
        sallyport.close();
        server.close();
        git.close();
        Command.of("rm", "-rf", root.toString()).run().ok();
    }
}

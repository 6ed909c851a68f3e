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
        assertThat(clones()).isEmpty();
        assertThat(result.err()).doesNotContain("not upstream");
    }
}

package dev.sallyport.git;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Command;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// An upstream that has only the end of its own history: `main`, and `agent/dropped`, which has no
/// workflow any more. Where they met is before that end.
final class ShallowUpstreamTest {
    @TempDir Path dir;
    private BoundaryRig rig;
    private Path seed;
    private Path work;

    @BeforeEach
    void start() throws Exception {
        rig = BoundaryRig.standard(dir);
        seed = dir.resolve("seed");
        String main = Git.ok(seed, "rev-parse", "HEAD~1");
        Git.ok(seed, "checkout", "-q", "-b", "dropped", main);
        Git.ok(seed, "rm", "-q", "-r", ".github");
        BoundaryRig.commit(seed, "dropped.txt", "x\n");
        Git.ok(seed, "push", "-q", rig.bare.toString(), "HEAD:agent/dropped");
        String dropped = Git.ok(seed, "rev-parse", "HEAD");
        Files.writeString(rig.bare.resolve("shallow"), main + "\n" + dropped + "\n");
        // A bitmap would outlive the end of history that it was made for.
        Git.ok(rig.bare, "-c", "repack.writeBitmaps=false", "repack", "-a", "-d", "-q");
        Git.ok(rig.bare, "prune", "--expire=now");
        assertThat(Git.ok(rig.bare, "rev-list", "--count", "main")).isEqualTo("1");
        assertThat(Git.run(rig.bare, "cat-file", "-e", main + "~1").exit()).isNotZero();
        Git.ok(dir, "clone", "-q", rig.door.url("acme/app"), "end");
        work = dir.resolve("end");
    }

    @AfterEach
    void stop() {
        rig.close();
    }

    private Command.Result push(String refspec) {
        return Git.run(work, "push", "origin", refspec);
    }

    private void assertDenied(Command.Result push, String reason) {
        assertThat(push.exit()).isNotZero();
        assertThat(push.err()).contains("[remote rejected]").contains("sallyport: " + reason);
    }

    @Test
    void ordinaryPushesAreJudgedAndTaken() throws Exception {
        for (String file : new String[] {"one.txt", "two.txt"}) {
            BoundaryRig.commit(work, file, "x\n");
            assertThat(push("HEAD:refs/heads/agent/x").err()).contains("agent/x");
            assertThat(rig.upstream("refs/heads/agent/x"))
                    .isEqualTo(Git.ok(work, "rev-parse", "HEAD"));
        }
        long sent = rig.pushesSent();

        assertDenied(push("+HEAD:refs/heads/agent/old"), "force-not-allowed");
        BoundaryRig.commit(work, ".github/workflows/evil.yml", "on: push\n");
        assertDenied(push("HEAD:refs/heads/agent/x"), "path-not-allowed");
        assertThat(rig.pushesSent()).isEqualTo(sent);
    }

    @Test
    void whatRestsOnHistoryThatUpstreamLacksIsDenied() throws Exception {
        Git.ok(seed, "checkout", "-q", "-b", "early", "HEAD~2");
        BoundaryRig.commit(seed, "early.txt", "x\n");

        assertDenied(
                Git.run(seed, "push", rig.door.url("acme/app"), "HEAD:refs/heads/agent/early"),
                "missing-objects");
        assertThat(rig.pushesSent()).isZero();
    }

    /// Whether `agent/dropped` dropped the workflow, or never had it, is not to be known.
    @Test
    void aMergeWhoseAncestorIsNotKnownDoesNotBringADeniedPathBack() throws Exception {
        Git.ok(work, "checkout", "-q", "-b", "m", "origin/agent/dropped");
        Git.ok(work, "merge", "-q", "--allow-unrelated-histories", "--no-edit", "origin/main");
        assertThat(work.resolve(".github/workflows/ci.yml")).exists();

        assertDenied(push("HEAD:refs/heads/agent/dropped"), "missing-objects");
        assertThat(rig.pushesSent()).isZero();
    }

    @Test
    void anUpstreamThatGetsItsWholeHistoryIsJudgedByIt() throws Exception {
        BoundaryRig.commit(work, "one.txt", "x\n");
        assertThat(push("HEAD:refs/heads/agent/x").exit()).isZero();
        Git.ok(rig.bare, "fetch", "-q", "--unshallow", seed.toString(), "+refs/heads/*:refs/s/*");
        assertThat(rig.bare.resolve("shallow")).doesNotExist();
        Git.ok(work, "fetch", "-q", "--unshallow");
        Git.ok(work, "checkout", "-q", "-b", "n", "origin/main~1");
        BoundaryRig.commit(work, "two.txt", "x\n");

        Command.Result push = push("HEAD:refs/heads/agent/y");
        assertThat(push.exit()).as(push.err()).isZero();
        assertDenied(push("+HEAD:refs/heads/agent/x"), "force-not-allowed");
    }
}

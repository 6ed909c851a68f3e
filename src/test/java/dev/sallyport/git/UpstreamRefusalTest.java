package dev.sallyport.git;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Command;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What a sandbox and the record are told when upstream says no, and under which name it is asked.
final class UpstreamRefusalTest {
    @TempDir static Path dir;
    private static BoundaryRig rig;

    @BeforeAll
    static void start() throws Exception {
        rig = BoundaryRig.standard(dir);
    }

    @AfterAll
    static void stop() {
        rig.close();
    }

    @AfterEach
    void heal() {
        rig.backend.fail(_ -> 0);
    }

    private static int status(GitBackend.Seen seen, String part, int status) {
        return seen.toString().contains(part) ? status : 0;
    }

    @ParameterizedTest
    @CsvSource({
        "401, credential-refused, secret rotate",
        "403, upstream-forbidden, does not allow this",
        "404, repo-not-found, no such repository",
        "413, upstream-too-large, push fewer commits",
        "429, upstream-busy, try again in 30 seconds"
    })
    void aPushThatUpstreamDoesNotTakeIsExplainedInGitsOwnReport(
            int status, String reason, String words) throws Exception {
        rig.commit("push-" + status, "x\n");
        String ref = "refs/heads/agent/push-" + status;
        rig.backend.fail(seen -> status(seen, "POST /acme/app.git/git-receive-pack", status));

        Command.Result push = rig.push("HEAD:" + ref);

        assertThat(push.exit()).isNotZero();
        assertThat(push.err())
                .contains("The git host refused this push")
                .contains("[remote rejected]")
                .contains("sallyport: " + reason)
                .contains(words)
                .contains("upstream answered " + status)
                .doesNotContain("may push to")
                .doesNotContain("Nothing was sent");
        assertThat(rig.upstream(ref)).isEmpty();
        assertThat(rig.door.events)
                .anySatisfy(
                        event -> {
                            assertThat(event.kind()).isEqualTo("git.failed");
                            assertThat(event.detail())
                                    .containsEntry("reason", reason)
                                    .containsEntry("upstream-status", String.valueOf(status));
                        });
        assertThat(rig.leavesNothing()).isTrue();
    }

    @Test
    void whetherABrokenUpstreamTookAPushIsNotClaimed() throws Exception {
        rig.commit("broken", "x\n");
        rig.backend.fail(seen -> status(seen, "POST /acme/app.git/git-receive-pack", 500));

        Command.Result push = rig.push("HEAD:refs/heads/agent/broken");

        assertThat(push.exit()).isNotZero();
        assertThat(push.err()).contains("upstream-failed").doesNotContain("[remote rejected]");
    }

    @ParameterizedTest
    @CsvSource({
        "401, credential-refused",
        "404, repo-not-found",
        "429, upstream-busy",
        "503, upstream-failed"
    })
    void aCopyThatUpstreamDoesNotGiveDeniesThePushForTheSameReason(int status, String reason)
            throws Exception {
        rig.commit("copy-" + status, "x\n");
        long sent = rig.pushesSent();
        rig.backend.fail(seen -> status(seen, "service=git-upload-pack", status));

        Command.Result push = rig.push("HEAD:refs/heads/agent/copy-" + status);

        assertThat(push.exit()).isNotZero();
        assertThat(push.err())
                .contains("[remote rejected]")
                .contains("sallyport: " + reason)
                .contains("upstream answered " + status + "; try again in 30 seconds");
        assertThat(rig.pushesSent()).isEqualTo(sent);
        assertThat(rig.door.events)
                .anySatisfy(
                        event ->
                                assertThat(event.detail())
                                        .containsEntry("reason-1", reason)
                                        .hasEntrySatisfying(
                                                "detail-1",
                                                detail ->
                                                        assertThat(detail).contains("" + status)));
    }

    @Test
    void aHostThatWantsACredentialAndHasNoneSaysThatItIsMissing() throws Exception {
        try (DoorRig anonymous = rig.doorWithoutCredential()) {
            Command.Result refs = Git.run(dir, "ls-remote", anonymous.url("acme/app"));

            assertThat(refs.exit()).isNotZero();
            assertThat(refs.err())
                    .contains("reason: credential-missing")
                    .contains("sallyport secret set");
            assertThat(anonymous.recorded("git.failed")).containsExactly(" credential-missing");
        }
    }

    private static String refs(String repo) {
        return Git.run(dir, "ls-remote", rig.door.url(repo))
                .err()
                .replace(repo, "REPO")
                .replaceAll("[0-9a-f]{16}", "ID");
    }

    @Test
    void s23RepositoriesThatAreNotGrantedLookTheSameAndAGrantedOneThatIsMissingSaysSo()
            throws Exception {
        int before = rig.backend.seen().size();
        String forbidden = refs("acme/forbidden");
        String other = refs("other/app");
        int dialled = rig.backend.seen().size();
        Path away = rig.bare.resolveSibling("away");
        Files.move(rig.bare, away);
        String missing;
        try {
            missing = refs("acme/app");
        } finally {
            Files.move(away, rig.bare);
        }

        assertThat(dialled).isEqualTo(before);
        assertThat(forbidden).isEqualTo(other).contains("not available to this sandbox");
        assertThat(missing).contains("no such repository").contains("repo-not-found");
        assertThat(rig.backend.seen().stream().skip(before).map(GitBackend.Seen::target))
                .containsExactly(
                        "/acme/app.git/info/refs?service=git-upload-pack",
                        "/acme/app/info/refs?service=git-upload-pack");
        assertThat(rig.door.recorded("git.failed")).contains(" repo-not-found");
    }

    @Test
    void aRepositoryWithoutTheSuffixIsFoundOnceAndPushedTo() throws Exception {
        Path plain = rig.bare.resolveSibling("app");
        Files.move(rig.bare, plain);
        try {
            int before = rig.backend.seen().size();
            Git.ok(dir, "clone", "-q", rig.door.url("acme/app"), "plain");
            BoundaryRig.commit(dir.resolve("plain"), "plain.txt", "x\n");
            Git.ok(dir.resolve("plain"), "push", "origin", "HEAD:refs/heads/agent/plain");

            List<String> targets =
                    rig.backend.seen().stream().skip(before).map(GitBackend.Seen::target).toList();
            assertThat(targets.getFirst()).startsWith("/acme/app.git/info/refs");
            assertThat(targets.subList(1, targets.size()))
                    .allMatch(target -> target.startsWith("/acme/app/"))
                    .hasSizeGreaterThan(4);
            assertThat(Git.ok(plain, "rev-parse", "agent/plain"))
                    .isEqualTo(Git.ok(dir.resolve("plain"), "rev-parse", "HEAD"));
        } finally {
            Files.move(plain, rig.bare);
        }
        Git.ok(rig.work, "fetch", "origin");
    }
}

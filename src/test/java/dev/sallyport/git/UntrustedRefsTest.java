package dev.sallyport.git;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.config.Limits;
import dev.sallyport.fixture.Command;
import dev.sallyport.policy.AddressPattern;
import dev.sallyport.policy.ContentRules;
import dev.sallyport.policy.PushRules;
import dev.sallyport.policy.RefPattern;
import dev.sallyport.policy.RefVisibility;
import dev.sallyport.policy.SecretScan;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What anybody can put into upstream, such as a pull request, is no more accepted than what the
/// sandbox made itself. Tried with real git.
final class UntrustedRefsTest {
    private static final String FLOW = ".github/workflows/x.yml";
    private static final List<String> FOREIGN =
            List.of(
                    "refs/pull/5/head",
                    "refs/pull/5/merge",
                    "refs/merge-requests/5/head",
                    "refs/changes/05/5/1",
                    "refs/forks/other/main",
                    "refs/notes/other");

    @TempDir Path dir;

    /// A stranger's commit upon `main`, in a ref of upstream.
    private static void open(BoundaryRig rig, String ref, String file, String content)
            throws Exception {
        Path seed = rig.dir.resolve("seed");
        Git.ok(seed, "checkout", "-q", "--detach", "v1");
        BoundaryRig.commit(seed, file, content);
        Git.ok(seed, "push", "-q", "-f", rig.bare.toString(), "HEAD:" + ref);
    }

    private static Command.Result fetchAndPush(BoundaryRig rig, String ref) {
        Git.ok(rig.work, "fetch", "-q", "origin", ref);
        return rig.push("FETCH_HEAD:refs/heads/agent/x");
    }

    private static void assertRefused(BoundaryRig rig, Command.Result push, String reason)
            throws Exception {
        assertThat(push.exit()).as(push.err()).isNotZero();
        assertThat(push.err()).contains("(sallyport: " + reason + ")");
        assertThat(rig.upstream("refs/heads/agent/x")).isEmpty();
        assertThat(rig.pushesSent()).isZero();
        assertThat(rig.leavesNothing()).isTrue();
    }

    private static PushRules rules(ContentRules content, String... trusted) throws Exception {
        PushRules standard = PushRules.standard();
        List<RefPattern> patterns = new java.util.ArrayList<>();
        for (String pattern : trusted) {
            patterns.add(RefPattern.parseFull(pattern));
        }
        return new PushRules(standard.branches(), false, false, false, 1 << 20, content, patterns);
    }

    @Test
    void g21CommitsOfAStrangersRefAreJudged() throws Exception {
        try (BoundaryRig rig = BoundaryRig.standard(dir)) {
            for (String ref : FOREIGN) {
                open(rig, ref, FLOW, "on: push # " + ref + "\n");
                Command.Result push = fetchAndPush(rig, ref);

                assertRefused(rig, push, "path-not-allowed");
                assertThat(push.err()).contains(FLOW);
            }
        }
    }

    @Test
    void g21AMergeOfAStrangersRefIsJudgedWithWhatItBrings() throws Exception {
        try (BoundaryRig rig = BoundaryRig.standard(dir)) {
            open(rig, "refs/pull/5/head", FLOW, "on: push\n");
            rig.commit("own.txt", "own\n");
            Git.ok(rig.work, "fetch", "-q", "origin", "refs/pull/5/head");
            Git.ok(rig.work, "merge", "-q", "--no-edit", "FETCH_HEAD");

            assertRefused(rig, rig.push("HEAD:refs/heads/agent/x"), "path-not-allowed");

            Git.ok(rig.work, "rm", "-q", FLOW);
            Git.ok(rig.work, "commit", "-q", "-m", "clean again");
            assertRefused(rig, rig.push("HEAD:refs/heads/agent/x"), "path-not-allowed");
        }
    }

    @Test
    void g21AuthorsSecretsAndSizesAreJudgedToo() throws Exception {
        ContentRules strict =
                new ContentRules(
                        List.of(),
                        Optional.empty(),
                        1_000,
                        100,
                        SecretScan.DENY,
                        Optional.of(List.of(AddressPattern.parse("nobody@test.example"))));
        ContentRules anybody =
                new ContentRules(
                        List.of(), Optional.empty(), 1_000, 100, SecretScan.DENY, Optional.empty());
        try (BoundaryRig rig = BoundaryRig.of(dir.resolve("authors"), rules(strict))) {
            open(rig, "refs/pull/5/head", "plain.txt", "plain\n");
            assertRefused(rig, fetchAndPush(rig, "refs/pull/5/head"), "author-not-allowed");
        }
        try (BoundaryRig rig = BoundaryRig.of(dir.resolve("files"), rules(anybody))) {
            String token = "ghp" + "_" + "R4nd0mT3stV4lueN0tReal" + "Xy7Zq9Lm2Pw8Ks";
            open(rig, "refs/pull/5/head", "config.env", "GITHUB_TOKEN=" + token + "\n");
            assertRefused(rig, fetchAndPush(rig, "refs/pull/5/head"), "secret-found");
            open(rig, "refs/pull/6/head", "large.txt", "text\n".repeat(1_000));
            assertRefused(rig, fetchAndPush(rig, "refs/pull/6/head"), "file-too-large");
        }
    }

    @Test
    void anOrdinaryPullRequestCanBeMergedAndPushed() throws Exception {
        try (BoundaryRig rig = BoundaryRig.standard(dir)) {
            open(rig, "refs/pull/5/head", "src/Fix.java", "class Fix {}\n");
            rig.commit("own.txt", "own\n");
            Git.ok(rig.work, "fetch", "-q", "origin", "refs/pull/5/head");
            Git.ok(rig.work, "merge", "-q", "--no-edit", "FETCH_HEAD");

            rig.push("HEAD:refs/heads/agent/x").ok();

            assertThat(rig.upstream("refs/heads/agent/x"))
                    .isEqualTo(Git.ok(rig.work, "rev-parse", "HEAD"));
            Git.ok(rig.bare, "fsck", "--strict");
        }
    }

    /// With `push.negotiate` git asks the side that serves fetches what upstream has, and leaves
    /// that out.
    @Test
    void g21ObjectsThatAreLeftOutBecauseUpstreamHasThemAreMissed() throws Exception {
        try (BoundaryRig rig = BoundaryRig.standard(dir)) {
            open(rig, "refs/pull/5/head", FLOW, "on: push\n");
            Git.ok(rig.work, "config", "push.negotiate", "true");

            Command.Result push = fetchAndPush(rig, "refs/pull/5/head");

            assertRefused(rig, push, "missing-objects");
            assertThat(push.err()).contains("on no upstream branch or tag");
        }
    }

    @Test
    void aTagAndARefThatThePolicyTrustsVouch() throws Exception {
        PushRules rules = rules(ContentRules.standard(), "refs/changes/**");
        try (BoundaryRig rig = BoundaryRig.of(dir, rules)) {
            open(rig, "refs/pull/5/head", FLOW, "on: push\n");
            assertRefused(rig, fetchAndPush(rig, "refs/pull/5/head"), "path-not-allowed");
            Git.ok(rig.bare, "update-ref", "refs/changes/05/5/1", "refs/pull/5/head");
            fetchAndPush(rig, "refs/pull/5/head").ok();
            open(rig, "refs/tags/reviewed", FLOW, "on: pull_request\n");
            Git.ok(rig.work, "fetch", "-q", "origin", "refs/tags/reviewed");
            rig.push("FETCH_HEAD:refs/heads/agent/y").ok();
        }
    }

    /// The copy by which fetches are checked has what the session may see; the one by which pushes
    /// are judged has not.
    @Test
    void g21FetchingThroughACopyMakesNothingAccepted() throws Exception {
        RefVisibility visible =
                RefVisibility.of(
                        List.of(
                                RefPattern.parseFull("refs/heads/**"),
                                RefPattern.parseFull("refs/pull/**")));
        try (BoundaryRig rig =
                new BoundaryRig(dir, Limits.standard(), visible, PushRules.standard())) {
            open(rig, "refs/pull/5/head", FLOW, "on: push\n");
            assertRefused(rig, fetchAndPush(rig, "refs/pull/5/head"), "path-not-allowed");
            rig.commit("own.txt", "own\n");
            rig.push("HEAD:refs/heads/agent/own").ok();
            assertThat(fetchAndPush(rig, "refs/pull/5/head").err()).contains("path-not-allowed");
            assertThat(rig.upstream("refs/heads/agent/x")).isEmpty();
        }
    }
}

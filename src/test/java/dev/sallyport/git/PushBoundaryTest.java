package dev.sallyport.git;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.config.Limits;
import dev.sallyport.fixture.Command;
import dev.sallyport.policy.AddressPattern;
import dev.sallyport.policy.ContentRules;
import dev.sallyport.policy.PathPattern;
import dev.sallyport.policy.PushRules;
import dev.sallyport.policy.RefPattern;
import dev.sallyport.policy.RefVisibility;
import dev.sallyport.policy.SecretScan;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What a push may carry, tried with real git against a real upstream. Every refusal leaves
/// upstream as it was, and nothing on our disk.
final class PushBoundaryTest {
    @TempDir Path dir;

    private static PushRules agent(boolean force, ContentRules content) throws Exception {
        List<RefPattern> branches = List.of(RefPattern.parse("agent/**"));
        return new PushRules(branches, force, true, true, 1 << 30, content);
    }

    private static ContentRules content(
            List<String> denied, Optional<List<String>> allowed, SecretScan secrets)
            throws Exception {
        return new ContentRules(
                patterns(denied),
                allowed.isPresent() ? Optional.of(patterns(allowed.get())) : Optional.empty(),
                1 << 20,
                100,
                secrets,
                Optional.empty());
    }

    private static List<PathPattern> patterns(List<String> texts) throws Exception {
        List<PathPattern> patterns = new ArrayList<>();
        for (String text : texts) {
            patterns.add(PathPattern.parse(text));
        }
        return patterns;
    }

    private static void assertRefused(BoundaryRig rig, Command.Result push, String reason)
            throws Exception {
        assertThat(push.exit()).as(push.err()).isNotZero();
        assertThat(push.err())
                .contains("[remote rejected]", "(sallyport: " + reason + ")")
                .contains("Nothing was sent upstream");
        assertThat(rig.pushesSent()).isZero();
        assertThat(rig.leavesNothing()).isTrue();
    }

    @Test
    void g14AnOrdinarySecondPushSimplyWorks() throws Exception {
        try (BoundaryRig rig = BoundaryRig.standard(dir)) {
            rig.commit("a.txt", "a\n");
            assertThat(rig.push("HEAD:agent/x").exit()).isZero();
            rig.commit("b.txt", "b\n");
            Command.Result second = rig.push("HEAD:agent/x");

            assertThat(second.exit()).as(second.err()).isZero();
            assertThat(rig.upstream("refs/heads/agent/x"))
                    .isEqualTo(Git.ok(rig.work, "rev-parse", "HEAD"));
            assertThat(rig.leavesNothing()).isTrue();
            assertThat(rig.door.recorded("git.push")).containsExactly("allow -", "allow -");
            assertThat(rig.door.recorded("git.push-result")).hasSize(2);
            Git.ok(rig.bare, "fsck", "--strict");
        }
    }

    @Test
    void aPushThatUpstreamTookNeedNotBeFetchedByTheNext() throws Exception {
        try (BoundaryRig rig = BoundaryRig.standard(dir)) {
            rig.commit("a.txt", "a\n");
            rig.push("HEAD:agent/x").ok();
            assertThat(rig.leavesNothing()).isTrue();
            long fetches = fetches(rig);
            rig.commit("b.txt", "b\n");
            rig.push("HEAD:agent/x").ok();

            assertThat(fetches(rig)).isEqualTo(fetches);
        }
    }

    private static long fetches(BoundaryRig rig) {
        return rig.backend.seen().stream()
                .filter(seen -> seen.target().endsWith("git-upload-pack"))
                .filter(seen -> seen.method().equals("POST"))
                .count();
    }

    @Test
    void g14ARewindIsRefusedAndForceLetsItThrough() throws Exception {
        try (BoundaryRig rig = BoundaryRig.standard(dir)) {
            assertRefused(rig, rig.push("--force", "HEAD:agent/old"), "force-not-allowed");
            rig.commit("other.txt", "other\n");
            assertRefused(rig, rig.push("--force", "HEAD:agent/old"), "force-not-allowed");
        }
    }

    @Test
    void aRewindIsCarriedOutWhereForceIsGranted() throws Exception {
        try (BoundaryRig rig = BoundaryRig.of(dir, agent(true, ContentRules.standard()))) {
            rig.push("--force", "HEAD:agent/old").ok();
            assertThat(rig.upstream("refs/heads/agent/old"))
                    .isEqualTo(Git.ok(rig.work, "rev-parse", "HEAD"));
        }
    }

    @Test
    void g3HistoryThatANewBranchBringsIsJudgedWhole() throws Exception {
        try (BoundaryRig rig = BoundaryRig.standard(dir)) {
            rig.commit(".github/workflows/evil.yml", "on: push\n");
            Git.ok(rig.work, "rm", "-q", ".github/workflows/evil.yml");
            Git.ok(rig.work, "commit", "-q", "-m", "clean again");
            rig.commit("fine.txt", "fine\n");

            Command.Result push = rig.push("HEAD:agent/new");
            assertRefused(rig, push, "path-not-allowed");
            assertThat(push.err()).contains(".github/workflows/evil.yml");
        }
    }

    @Test
    void aChangeThatReusesWhatUpstreamHasIsAChange() throws Exception {
        try (BoundaryRig rig = BoundaryRig.standard(dir)) {
            Git.ok(rig.work, "mv", "README.md", ".github/workflows/README.yml");
            Git.ok(rig.work, "commit", "-q", "-m", "move");

            assertRefused(rig, rig.push("HEAD:agent/x"), "path-not-allowed");
        }
    }

    @Test
    void onlyAllowedPathsMayChangeWhereThereIsAList() throws Exception {
        ContentRules rules = content(List.of(), Optional.of(List.of("src/**")), SecretScan.OFF);
        try (BoundaryRig rig = BoundaryRig.of(dir, agent(false, rules))) {
            rig.commit("src/New.java", "class New {}\n");
            rig.push("HEAD:agent/x").ok();
            rig.commit("pom.xml", "<project/>\n");
            long sent = rig.pushesSent();
            Command.Result push = rig.push("HEAD:agent/x");

            assertThat(push.err()).contains("(sallyport: path-not-allowed)", "pom.xml");
            assertThat(rig.pushesSent()).isEqualTo(sent);
        }
    }

    @Test
    void g20AnEmptyListOfAllowedPathsAllowsNone() throws Exception {
        ContentRules rules = content(List.of(), Optional.of(List.of()), SecretScan.OFF);
        try (BoundaryRig rig = BoundaryRig.of(dir, agent(false, rules))) {
            rig.commit("x", "x");
            assertRefused(rig, rig.push("HEAD:agent/x"), "path-not-allowed");
        }
    }

    @Test
    void aCredentialIsNotPushedAndNotRepeated() throws Exception {
        try (BoundaryRig rig = BoundaryRig.standard(dir)) {
            String token = token();
            rig.commit("config.env", "GITHUB_TOKEN=" + token + "\n");
            Git.ok(rig.work, "rm", "-q", "config.env");
            Git.ok(rig.work, "commit", "-q", "-m", "oops");

            Command.Result push = rig.push("HEAD:agent/x");

            assertRefused(rig, push, "secret-found");
            assertThat(push.err()).contains("config.env").doesNotContain(token);
            assertThat(rig.door.events.toString()).doesNotContain(token).contains("config.env");
        }
    }

    @Test
    void aCredentialIsOnlyWarnedAboutWhereThePersonSaysSo() throws Exception {
        ContentRules rules = content(List.of(), Optional.empty(), SecretScan.WARN);
        try (BoundaryRig rig = BoundaryRig.of(dir, agent(false, rules))) {
            rig.commit("config.env", "GITHUB_TOKEN=" + token() + "\n");
            Command.Result push = rig.push("HEAD:agent/x");

            assertThat(push.exit()).as(push.err()).isZero();
            assertThat(push.err()).contains("remote: Sallyport:", "config.env");
        }
    }

    private static String token() {
        return "ghp" + "_" + "R4nd0mT3stV4lueN0tReal" + "Xy7Zq9Lm2Pw8Ks";
    }

    @Test
    void authorsSizesAndCountsAreHeld() throws Exception {
        ContentRules rules =
                new ContentRules(
                        List.of(),
                        Optional.empty(),
                        1_000,
                        2,
                        SecretScan.OFF,
                        Optional.of(List.of(AddressPattern.parse("*@test.example"))));
        try (BoundaryRig rig = BoundaryRig.of(dir, agent(false, rules))) {
            rig.commit("a", "a");
            Git.ok(
                    rig.work,
                    "-c",
                    "user.email=ceo@corp.example",
                    "commit",
                    "-q",
                    "--amend",
                    "--reset-author",
                    "--no-edit");
            assertRefused(rig, rig.push("HEAD:agent/x"), "author-not-allowed");
            Git.ok(rig.work, "commit", "-q", "--amend", "--reset-author", "--no-edit");
            byte[] large = new byte[2_000];
            new Random(1).nextBytes(large);
            Files.write(rig.work.resolve("large.bin"), large);
            rig.commit("b", "b");
            assertRefused(rig, rig.push("HEAD:agent/x"), "file-too-large");
            Git.ok(rig.work, "reset", "-q", "--hard", "HEAD~1");
            rig.commit("c", "c");
            rig.commit("d", "d");
            assertRefused(rig, rig.push("HEAD:agent/x"), "too-many-commits");
        }
    }

    @Test
    void g1OneDeniedContentDeniesTheWholePush() throws Exception {
        try (BoundaryRig rig = BoundaryRig.standard(dir)) {
            rig.commit("fine.txt", "fine\n");
            Git.ok(rig.work, "branch", "fine");
            rig.commit(".gitlab-ci.yml", "x: y\n");

            Command.Result push = rig.push("fine:agent/fine", "HEAD:agent/bad");

            assertRefused(rig, push, "path-not-allowed");
            assertThat(push.err()).contains("denied with the whole push by sallyport");
            assertThat(rig.upstreamRefs()).doesNotContain("refs/heads/agent/fine");
        }
    }

    @Test
    void theReportNamesWhatIsAllowedAndTheRule() throws Exception {
        try (BoundaryRig rig = BoundaryRig.standard(dir)) {
            rig.commit(".github/workflows/ci.yml", "on: [push, pull_request]\n");
            String error = rig.push("HEAD:agent/x").err();

            assertThat(error)
                    .contains("! [remote rejected] HEAD -> agent/x (sallyport: path-not-allowed)")
                    .contains("remote: This sandbox may push to branches that match agent/**")
                    .contains("remote: Paths that may not be changed: .github/workflows/**")
                    .contains("rule .github/workflows/**");
        }
    }

    @Test
    void movedUpstreamSinceTheAdvertisementIsNotOverwritten() throws Exception {
        try (BoundaryRig rig = BoundaryRig.of(dir, agent(true, ContentRules.standard()))) {
            Git.ok(rig.work, "fetch", "-q", "origin");
            rig.commit("x", "x");
            String lease = Git.ok(rig.work, "rev-parse", "HEAD");
            Command.Result push =
                    rig.push("--force-with-lease=agent/old:" + lease, "HEAD:agent/old");
            assertThat(push.exit()).isNotZero();
            assertThat(rig.upstream("refs/heads/agent/old")).isNotEqualTo(lease);
        }
    }

    @Test
    void g9AMirrorThatCannotBeMadeRefusesThePush() throws Exception {
        Limits standard = Limits.standard();
        Limits tiny =
                new Limits(
                        standard.http(),
                        standard.sharing(),
                        standard.git(),
                        standard.push(),
                        new Limits.Mirror(1 << 20, 1, 100, 60),
                        standard.dns(),
                        standard.upstream(),
                        standard.egress(),
                        Limits.Api.STANDARD,
                        Limits.Approvals.STANDARD);
        try (BoundaryRig rig =
                new BoundaryRig(dir, tiny, RefVisibility.all(), PushRules.standard())) {
            rig.commit("x", "x");
            assertRefused(rig, rig.push("HEAD:agent/x"), "mirror-unavailable");
        }
    }

    @Test
    void p11WithoutARecordOfTheVerdictNothingIsSent() throws Exception {
        try (BoundaryRig rig = BoundaryRig.standard(dir)) {
            rig.commit("x", "x");
            rig.door.failRecording("git.push");

            Command.Result push = rig.push("HEAD:agent/x");

            assertRefused(rig, push, "not-recorded");
        }
    }

    @Test
    void pushesOfTagsAndDeletesAreJudgedToo() throws Exception {
        try (BoundaryRig rig = BoundaryRig.of(dir, agent(false, ContentRules.standard()))) {
            Git.ok(rig.work, "tag", "-f", "-a", "-m", "moved", "v1", "HEAD~1");
            assertRefused(rig, rig.push("--force", "v1"), "force-not-allowed");
            Git.ok(rig.work, "tag", "-a", "-m", "two", "v2");
            rig.push("v2").ok();
            rig.push(":agent/old").ok();
            assertThat(rig.upstreamRefs())
                    .containsExactly("refs/heads/main", "refs/tags/v1", "refs/tags/v2");
        }
    }

    @Test
    void g12ARepositoryWithOtherObjectNamesIsRefusedInWords() throws Exception {
        try (BoundaryRig rig = BoundaryRig.standard(dir)) {
            Command.of("rm", "-rf", rig.bare.toString()).run().ok();
            Git.ok(dir, "init", "-q", "--bare", "--object-format=sha256", rig.bare.toString());
            Git.ok(rig.bare, "config", "http.receivepack", "true");
            Path other = dir.resolve("sha256");
            Git.ok(dir, "init", "-q", "--object-format=sha256", other.toString());
            BoundaryRig.commit(other, "x", "x");

            Command.Result push =
                    Git.run(other, "push", rig.door.url("acme/app"), "HEAD:refs/heads/agent/x");

            assertThat(push.exit()).isNotZero();
            assertThat(push.err()).contains("SHA-256");
            assertThat(rig.pushesSent()).isZero();
        }
    }

    @Test
    void whoWaitsForTheFirstCopyOfARepositoryIsTold() throws Exception {
        try (BoundaryRig rig = BoundaryRig.standard(dir)) {
            rig.backend.delayFetches(java.time.Duration.ofSeconds(6));
            rig.commit("x", "x");

            Command.Result push = rig.push("HEAD:agent/x");

            assertThat(push.exit()).as(push.err()).isZero();
            assertThat(push.err()).contains("remote: Sallyport: ");
        }
    }

    @Test
    void g9ADamagedCopyIsMadeAnewAndNeverJudgedBy() throws Exception {
        try (BoundaryRig rig = BoundaryRig.standard(dir)) {
            rig.commit("a", "a");
            rig.push("HEAD:agent/x").ok();
            assertThat(rig.leavesNothing()).isTrue();
            for (Path pack : packs(rig.door.mirrors())) {
                byte[] bytes = Files.readAllBytes(pack);
                new Random(4).nextBytes(bytes);
                Files.write(pack, bytes);
            }
            rig.commit("b", "b");
            rig.push("HEAD:agent/x").ok();
            rig.commit(".github/workflows/x.yml", "on: push\n");

            assertThat(rig.push("HEAD:agent/x").err()).contains("path-not-allowed");
            assertThat(rig.upstream("refs/heads/agent/x"))
                    .isEqualTo(Git.ok(rig.work, "rev-parse", "HEAD~1"));
        }
    }

    private static List<Path> packs(Path mirrors) throws Exception {
        try (Stream<Path> files = Files.walk(mirrors)) {
            List<Path> packs = files.filter(file -> file.toString().endsWith(".pack")).toList();
            assertThat(packs).isNotEmpty();
            return packs;
        }
    }
}

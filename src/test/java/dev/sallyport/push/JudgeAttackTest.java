package dev.sallyport.push;

import static dev.sallyport.push.PushRig.details;
import static dev.sallyport.push.PushRig.reasons;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sallyport.policy.ObjectName;
import dev.sallyport.policy.RefName;
import dev.sallyport.policy.RefUpdate;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.SecretScan;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What a sandbox tries in the content of a push, made with real git. Names begin with the id of
/// the attack.
class JudgeAttackTest {
    private static final String BRANCH = "refs/heads/agent/x";
    private static final String FLOW = ".github/workflows/ci.yml";

    @TempDir Path root;
    private PushRig rig;
    private String main;

    @BeforeEach
    void upstreamHasAHistory() throws Exception {
        rig = new PushRig(root);
        rig.commit("README", "hello\n", "src/a.txt", "a\n");
        main = rig.commit(FLOW, "on: push\n", "src/b.txt", "b\n");
        rig.publish("HEAD:refs/heads/main");
        rig.git("checkout", "-q", "-b", "agent");
    }

    @Test
    void acceptsAnOrdinaryPushAndHoldsItsPack() throws Exception {
        Verdict verdict = rig.push(BRANCH, rig.commit("src/a.txt", "better\n"));
        assertThat(verdict).isEqualTo(new Verdict.Accepted(List.of()));
        try (var files = Files.walk(root)) {
            List<String> kept =
                    files.filter(f -> f.toString().contains("/quarantine"))
                            .map(f -> f.getFileName().toString())
                            .toList();
            assertThat(kept).anyMatch(f -> f.matches("pack-[0-9a-f]{40}\\.pack"));
            assertThat(kept).anyMatch(f -> f.matches("pack-[0-9a-f]{40}\\.idx"));
        }
    }

    @Test
    void acceptsABranchAtACommitThatUpstreamHasAlready() throws Exception {
        assertThat(reasons(rig.push(BRANCH, main))).isEmpty();
    }

    @Test
    void g3JudgesAllNewCommitsNotOnlyTheTip() throws Exception {
        rig.commit(FLOW, "evil\n");
        String tip = rig.commit(FLOW, "on: push\n");
        Verdict verdict = rig.push(BRANCH, tip);
        assertThat(reasons(verdict)).containsExactly(Refusal.PATH_NOT_ALLOWED);
        assertThat(details(verdict))
                .contains("path .github/workflows/ci.yml in commit ")
                .contains("(rule .github/workflows/**)");
    }

    @Test
    void g3JudgesCommitsThatTheCopyHasButNoRefReaches() throws Exception {
        String left = rig.commit(FLOW, "evil\n");
        rig.publish("HEAD:refs/heads/gone");
        rig.unpublish("refs/heads/gone");
        assertThat(reasons(rig.push(BRANCH, left))).containsExactly(Refusal.PATH_NOT_ALLOWED);
        String upon = rig.commit("src/a.txt", "more\n");
        assertThat(reasons(rig.push(BRANCH, upon))).containsExactly(Refusal.PATH_NOT_ALLOWED);
    }

    @Test
    void g21JudgesWhatOnlyAStrangersRefReaches() throws Exception {
        String foreign = rig.commit(FLOW, "evil\n");
        rig.publish("HEAD:refs/pull/5/head");
        assertThat(reasons(rig.push(BRANCH, foreign))).containsExactly(Refusal.PATH_NOT_ALLOWED);
        RefUpdate update = rig.update(BRANCH, foreign);
        assertThat(reasons(rig.judge(List.of(update), Optional.of(rig.packOf(List.of())))))
                .as("a pack without what upstream has")
                .containsExactly(Refusal.MISSING_OBJECTS);
        rig.git("checkout", "-q", "-b", "merging", main);
        rig.commit("src/c.txt", "c\n");
        rig.git("merge", "-q", "--no-edit", foreign);
        assertThat(reasons(rig.push(BRANCH, rig.git("rev-parse", "HEAD"))))
                .containsExactly(Refusal.PATH_NOT_ALLOWED);
        rig.publish(foreign + ":refs/tags/reviewed");
        assertThat(reasons(rig.push(BRANCH, foreign))).as("now a tag vouches").isEmpty();
    }

    /// Whoever forgets to leave a stranger's refs out gets no verdict.
    @Test
    void g21RefusesToBeToldThatAStrangersRefVouches() {
        rig.publish("HEAD:refs/pull/5/head");
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () ->
                                new PushCase(
                                        rig.rules,
                                        List.of(),
                                        rig.allRefs(),
                                        Set.of(),
                                        root,
                                        Optional.empty(),
                                        root));
    }

    @Test
    void g4RefusesObjectsThatNoPushedRefReaches() throws Exception {
        String tip = rig.commit("src/a.txt", "better\n");
        List<RefUpdate> updates = List.of(rig.update(BRANCH, tip));
        Path hidden = Files.writeString(root.resolve("hidden"), "hidden payload\n");
        String blob = rig.git("hash-object", "-w", hidden.toString());
        List<String> all = new ArrayList<>(List.of(blob));
        rig.git("rev-list", "--objects", tip, "^" + main)
                .lines()
                .forEach(line -> all.add(line.substring(0, 40)));
        Verdict verdict = rig.judge(updates, Optional.of(rig.packOf(all)));
        assertThat(reasons(verdict)).containsExactly(Refusal.HIDDEN_OBJECTS);
        assertThat(details(verdict)).contains(blob.substring(0, 7));
        all.set(0, main);
        assertThat(reasons(rig.judge(updates, Optional.of(rig.packOf(all)))))
                .as("the parent is reached from the tip, but its tree and files are not left out")
                .isEmpty();
    }

    @Test
    void g4RefusesAGitlinkTargetInThePack() throws Exception {
        String other = rig.commitTree(rig.git("write-tree"));
        String tree = rig.gitWith("160000 commit " + other + "\tsub\n", "mktree");
        String tip = rig.commitTree(tree, main);
        Path pack = rig.packOf(List.of(tip, tree, other));
        Verdict verdict = rig.judge(List.of(rig.update(BRANCH, tip)), Optional.of(pack));
        assertThat(reasons(verdict)).containsExactly(Refusal.HIDDEN_OBJECTS);
        assertThat(details(verdict))
                .contains("1 objects, among them commit " + other.substring(0, 7));
    }

    @Test
    void refusesAPackThatLacksWhatItRefersTo() throws Exception {
        String tip = rig.commit("src/new.txt", "new\n");
        Path pack = rig.packOf(List.of(tip, rig.git("rev-parse", tip + "^{tree}")));
        Verdict verdict = rig.judge(List.of(rig.update(BRANCH, tip)), Optional.of(pack));
        assertThat(reasons(verdict)).containsExactly(Refusal.MISSING_OBJECTS);
    }

    @Test
    void refusesATipThatIsNowhere() throws Exception {
        rig.commit("src/new.txt", "new\n");
        Path pack = rig.pack(List.of(rig.update(BRANCH, rig.git("rev-parse", "HEAD"))));
        Verdict verdict = rig.judge(List.of(rig.update(BRANCH, "1".repeat(40))), Optional.of(pack));
        assertThat(reasons(verdict)).containsExactly(Refusal.MISSING_OBJECTS);
    }

    @Test
    void g10JudgesTreesAndCommitsThatAreDeltas() throws Exception {
        for (int i = 0; i < 200; i++) {
            rig.write("many/file-with-a-long-name-" + i, "content " + i + "\n");
        }
        rig.write(".github/workflows/x", "x\n");
        String first = rig.commit();
        rig.publish("HEAD:refs/heads/other");
        rig.commit("many/file-with-a-long-name-7", "changed\n");
        String tip = rig.commit(".github/workflows/x", "evil\n");
        List<String> all = new ArrayList<>();
        rig.git("rev-list", "--objects", tip, "^" + first + "^")
                .lines()
                .forEach(line -> all.add(line.substring(0, 40)));
        for (String option : List.of("--delta-base-offset", "--window=50")) {
            Path pack = rig.packOf(all, option, "--depth=50");
            assertThat(rig.git("verify-pack", "-v", pack.toString())).contains("chain length");
            Verdict verdict = rig.judge(List.of(rig.update(BRANCH, tip)), Optional.of(pack));
            assertThat(reasons(verdict)).containsExactly(Refusal.PATH_NOT_ALLOWED);
            assertThat(details(verdict)).contains(tip.substring(0, 7));
        }
    }

    @Test
    void g13RefusesOldIdsThatAreNotUpstreams() throws Exception {
        String tip = rig.commit("src/a.txt", "better\n");
        RefName ref = new RefName("refs/heads/main");
        for (String before : List.of(ObjectName.ZERO.hex(), tip, "2".repeat(40))) {
            RefUpdate lie = new RefUpdate(ref, new ObjectName(before), new ObjectName(tip));
            Verdict verdict = rig.judge(List.of(lie), Optional.of(rig.pack(List.of(lie))));
            assertThat(reasons(verdict)).containsExactly(Refusal.STALE_REF);
        }
        RefUpdate ghost = new RefUpdate(new RefName(BRANCH), new ObjectName(main), ObjectName.ZERO);
        assertThat(reasons(rig.judge(List.of(ghost), Optional.empty())))
                .containsExactly(Refusal.STALE_REF);
    }

    @Test
    void g14RefusesARewindAndPassesAnOrdinarySecondPush() throws Exception {
        String first = rig.commit("src/a.txt", "one\n");
        assertThat(reasons(rig.push(BRANCH, first))).isEmpty();
        rig.publish(first + ":" + BRANCH);
        String second = rig.commit("src/a.txt", "two\n");
        assertThat(reasons(rig.push(BRANCH, second))).isEmpty();
        rig.publish(second + ":" + BRANCH);

        assertThat(reasons(rig.push(BRANCH, first))).containsExactly(Refusal.FORCE_NOT_ALLOWED);
        rig.git("checkout", "-q", "-b", "other", main);
        String aside = rig.commit("src/a.txt", "three\n");
        assertThat(reasons(rig.push(BRANCH, aside))).containsExactly(Refusal.FORCE_NOT_ALLOWED);
        rig.force(true);
        assertThat(reasons(rig.push(BRANCH, aside))).isEmpty();
        assertThat(reasons(rig.push(BRANCH, first))).isEmpty();
    }

    @Test
    void g14PassesABranchThatCatchesUpWithMain() throws Exception {
        rig.publish(main + "~1:" + BRANCH);
        rig.git("checkout", "-q", "main");
        String ahead = rig.commit("src/b.txt", "ahead\n");
        rig.publish("HEAD:refs/heads/main");
        rig.commit("src/b.txt", "further\n");
        rig.publish("HEAD:refs/heads/main");
        rig.git("checkout", "-q", "-b", "catching", ahead);
        assertThat(reasons(rig.push(BRANCH, rig.commit("src/c.txt", "c\n")))).isEmpty();
    }

    @Test
    void g14DeletesWithoutAPackAndRefusesOneWithAPack() throws Exception {
        rig.publish(main + ":" + BRANCH);
        assertThat(reasons(rig.push(BRANCH, ""))).isEmpty();
        Path pack = rig.pack(List.of(rig.update("refs/heads/agent/y", main)));
        assertThat(reasons(rig.judge(List.of(rig.update(BRANCH, "")), Optional.of(pack))))
                .containsExactly(Refusal.MALFORMED_PACK);
        assertThat(reasons(rig.judge(List.of(rig.update(BRANCH, main + "")), Optional.empty())))
                .containsExactly(Refusal.MALFORMED_PACK);
    }

    @Test
    void aBranchTakesOnlyCommitsAndATagWhatLeadsToOne() throws Exception {
        String tip = rig.commit("src/a.txt", "tagged\n");
        rig.git("tag", "-a", "-m", "text", "v1", tip);
        String tag = rig.git("rev-parse", "v1");
        assertThat(reasons(rig.push(BRANCH, tag))).containsExactly(Refusal.NOT_A_COMMIT);
        assertThat(reasons(rig.push("refs/tags/v1", tag))).isEmpty();
        assertThat(reasons(rig.push("refs/tags/light", tip))).isEmpty();
        String tree = rig.git("rev-parse", tip + "^{tree}");
        assertThat(reasons(rig.push(BRANCH, tree))).containsExactly(Refusal.NOT_A_COMMIT);
        assertThat(reasons(rig.push("refs/tags/tree", tree))).containsExactly(Refusal.NOT_A_COMMIT);
        rig.publish(main + ":refs/tags/v1");
        assertThat(reasons(rig.push("refs/tags/v1", tag)))
                .containsExactly(Refusal.FORCE_NOT_ALLOWED);
    }

    @Test
    void everyRefGetsItsOwnObjection() throws Exception {
        String good = rig.commit("src/a.txt", "good\n");
        String bad = rig.commit(FLOW, "evil\n");
        List<RefUpdate> updates =
                List.of(rig.update("refs/heads/agent/good", good), rig.update(BRANCH, bad));
        Verdict verdict = rig.judge(updates, Optional.of(rig.pack(updates)));
        assertThat(((Verdict.Refused) verdict).objections())
                .extracting(o -> o.ref().value() + " " + o.reason())
                .containsExactly(BRANCH + " PATH_NOT_ALLOWED");
    }

    @Test
    void countsNewCommitsOnly() throws Exception {
        rig.content(1 << 20, 2, SecretScan.DENY);
        rig.commit("a", "1");
        String two = rig.commit("a", "2");
        assertThat(reasons(rig.push(BRANCH, two))).isEmpty();
        String three = rig.commit("a", "3");
        assertThat(reasons(rig.push(BRANCH, three))).containsExactly(Refusal.TOO_MANY_COMMITS);
    }

    @Test
    void objectsToAddressesAndLargeFiles() throws Exception {
        rig.content(10, 100, SecretScan.DENY, "*@test.example");
        assertThat(reasons(rig.push(BRANCH, rig.commit("a", "small")))).isEmpty();
        String large = rig.commit("dir/large", "larger than ten bytes");
        Verdict verdict = rig.push(BRANCH, large);
        assertThat(reasons(verdict)).containsExactly(Refusal.FILE_TOO_LARGE);
        assertThat(details(verdict)).contains("path dir/large in commit " + large.substring(0, 7));
        rig.content(1 << 20, 100, SecretScan.DENY, "agent@test.example");
        verdict = rig.push(BRANCH, large);
        assertThat(reasons(verdict)).containsExactly(Refusal.AUTHOR_NOT_ALLOWED);
        assertThat(details(verdict)).contains("address test@test.example");
    }
}

package dev.sallyport.push;

import static dev.sallyport.push.PushRig.details;
import static dev.sallyport.push.PushRig.reasons;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.SecretScan;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Which paths a commit changes, however it goes about it, and what it adds that is secret.
class JudgePathTest {
    private static final String BRANCH = "refs/heads/agent/x";
    private static final String FLOW = ".github/workflows/ci.yml";
    private static final List<Refusal> REFUSED = List.of(Refusal.PATH_NOT_ALLOWED);

    @TempDir Path root;
    private PushRig rig;
    private String old;
    private String main;

    @BeforeEach
    void upstreamChangedItsWorkflow() throws Exception {
        rig = new PushRig(root);
        old = rig.commit(FLOW, "old\n", "src/a.txt", "a\n");
        main = rig.commit(FLOW, "new\n", "src/b.txt", "b\n");
        rig.publish("HEAD:refs/heads/main");
        rig.git("checkout", "-q", "-b", "agent");
    }

    private Verdict push(String commit) throws Exception {
        return rig.push(BRANCH, commit);
    }

    @Test
    void objectsToAnyCaseAndForm() throws Exception {
        assertThat(reasons(push(rig.commit(".GitHub/Workflows/x.yml", "x\n")))).isEqualTo(REFUSED);
        rig.git("reset", "-q", "--hard", main);
        assertThat(reasons(push(rig.commit(".GITLAB-ci.YML", "x\n")))).isEqualTo(REFUSED);
        rig.git("reset", "-q", "--hard", main);
        assertThat(reasons(push(rig.commit(".github/ＷＯＲＫflows/x", "x\n")))).isEqualTo(REFUSED);
        rig.git("reset", "-q", "--hard", main);
        assertThat(reasons(push(rig.commit(".github/other.yml", "x\n")))).isEmpty();
    }

    @Test
    void objectsToTheSpellingsOfOtherFileSystems() throws Exception {
        for (String path :
                List.of(
                        ".github./workflows/x.yml",
                        ".github /workflows/x.yml",
                        "GITHUB~1/WORKFL~1/x.yml",
                        ".github::$INDEX_ALLOCATION/workflows/x.yml",
                        ".github\\workflows\\x.yml",
                        ".git\u034fhub/work\ufe0fflows/x.yml",
                        "GITLAB~1.YML")) {
            assertThat(reasons(push(rig.commit(path, "x\n")))).as(path).isEqualTo(REFUSED);
            rig.git("reset", "-q", "--hard", main);
            rig.git("checkout", "-q", "-b", "early", old);
            rig.commit("src/c.txt", "c\n");
            rig.git("merge", "-q", "--no-edit", "--no-commit", "main");
            String merge = rig.commit(path, "x\n");
            assertThat(reasons(push(merge))).as("evil merge of " + path).isEqualTo(REFUSED);
            rig.git("checkout", "-q", "agent");
            rig.git("branch", "-q", "-D", "early");
        }
        rig.commit("docs/a\\b:c~1.txt", "x\n", "\u2764\ufe0f.md", "x\n", "Foo::Bar.3pm", "x\n");
        assertThat(reasons(push(rig.commit("LONGNA~1.TXT", "x\n", "etc...", "x\n")))).isEmpty();
    }

    @Test
    void objectsToALinkInPlaceOfWhatGitReads() throws Exception {
        rig.rules = PushRig.rules(List.of(), Optional.empty());
        for (String path : List.of("src/.gitattributes", ".GitIgnore", "src/.mailmap.")) {
            Files.createSymbolicLink(rig.work.resolve(path), Path.of("../elsewhere"));
            Verdict verdict = push(rig.commit());
            assertThat(reasons(verdict)).as(path).isEqualTo(REFUSED);
            assertThat(details(verdict)).contains("path " + path, "must not be a symbolic link");
            rig.git("reset", "-q", "--hard", main);
        }
        for (String name : List.of(".gitmodules", "GITMOD~1")) {
            String link = "120000 blob " + rig.git("rev-parse", main + ":src/a.txt") + "\t" + name;
            String tree = rig.gitWith(rig.git("ls-tree", main) + "\n" + link + "\n", "mktree");
            assertThat(reasons(push(rig.commitTree(tree, main)))).as(name).isEqualTo(REFUSED);
        }
        rig.git("checkout", "-q", "-b", "early", old);
        rig.commit("src/c.txt", "c\n");
        rig.git("merge", "-q", "--no-edit", "--no-commit", "main");
        Files.createSymbolicLink(rig.work.resolve("src/.gitignore"), Path.of("../elsewhere"));
        assertThat(reasons(push(rig.commit()))).as("in a merge").isEqualTo(REFUSED);
        rig.git("checkout", "-q", "agent");
        Files.createSymbolicLink(rig.work.resolve("gitmodules"), Path.of("elsewhere"));
        assertThat(reasons(push(rig.commit(".gitmodules", "", ".gitignore", "x\n")))).isEmpty();
    }

    @Test
    void objectsToDeletionsAndModes() throws Exception {
        Files.delete(rig.work.resolve(FLOW));
        assertThat(reasons(push(rig.commit()))).isEqualTo(REFUSED);
        rig.git("reset", "-q", "--hard", main);
        rig.git("update-index", "--chmod=+x", FLOW);
        rig.git("commit", "-q", "-m", "mode");
        assertThat(reasons(push(rig.git("rev-parse", "HEAD")))).isEqualTo(REFUSED);
    }

    @Test
    void objectsToLinksAndSubmodulesOnTheWay() throws Exception {
        rig.git("checkout", "-q", "--orphan", "fresh");
        rig.git("rm", "-rfq", ".");
        rig.publish(rig.commit("only", "x\n") + ":refs/heads/fresh");
        String base = rig.git("rev-parse", "HEAD");
        Files.createSymbolicLink(rig.work.resolve(".github"), Path.of("elsewhere"));
        assertThat(reasons(push(rig.commit()))).isEqualTo(REFUSED);
        String tree =
                rig.gitWith(
                        rig.git("ls-tree", base) + "\n160000 commit " + main + "\t.github\n",
                        "mktree");
        assertThat(reasons(push(rig.commitTree(tree, base)))).isEqualTo(REFUSED);
    }

    @Test
    void objectsToARevertThatReusesAnOldFile() throws Exception {
        rig.git("checkout", "-q", old, "--", FLOW);
        assertThat(reasons(push(rig.commit()))).isEqualTo(REFUSED);
    }

    @Test
    void objectsToAnOrphanThatReusesUpstreamsTree() throws Exception {
        String tree = rig.git("rev-parse", main + "^{tree}");
        assertThat(reasons(push(rig.commitTree(tree)))).isEqualTo(REFUSED);
        assertThat(reasons(push(rig.commitTree(tree, main)))).isEmpty();
    }

    @Test
    void passesAMergeOfMainAndObjectsToWhatItAddsOrDrops() throws Exception {
        rig.git("checkout", "-q", "-b", "early", old);
        String early = rig.commit("src/c.txt", "c\n");
        rig.git("merge", "-q", "--no-edit", "main");
        String merged = rig.git("rev-parse", "HEAD");
        assertThat(reasons(push(merged))).as("clean").isEmpty();

        rig.write(FLOW, "evil\n");
        rig.git("add", "-A");
        rig.git("commit", "-q", "--amend", "--no-edit");
        assertThat(reasons(push(rig.git("rev-parse", "HEAD")))).as("evil").isEqualTo(REFUSED);

        rig.git("reset", "-q", "--hard", early);
        rig.git("merge", "-q", "--no-edit", "-s", "ours", "main");
        Verdict verdict = push(rig.git("rev-parse", "HEAD"));
        assertThat(reasons(verdict)).as("-s ours").isEqualTo(REFUSED);
        assertThat(details(verdict)).contains(FLOW);
    }

    @Test
    void objectsToAMergeThatTakesTheWorkflowOfAnAncestor() throws Exception {
        String flow = rig.git("rev-parse", old + ":" + FLOW);
        String inner = rig.gitWith("100644 blob " + flow + "\tci.yml\n", "mktree");
        String middle = rig.gitWith("040000 tree " + inner + "\tworkflows\n", "mktree");
        String tree = rig.gitWith("040000 tree " + middle + "\t.github\n", "mktree");
        String merge = rig.commitTree(tree, main, old);
        assertThat(reasons(push(merge))).isEqualTo(REFUSED);
    }

    @Test
    void allowsOnlyWhatIsListedExactly() throws Exception {
        rig.rules = PushRig.rules(List.of(), Optional.of(List.of("src/**")));
        assertThat(reasons(push(rig.commit("src/deep/x", "x\n")))).isEmpty();
        String outside = rig.commit("Src/x", "x\n");
        Verdict verdict = push(outside);
        assertThat(reasons(verdict)).isEqualTo(REFUSED);
        assertThat(details(verdict)).contains("path Src/x").contains("outside the allowed paths");
        rig.rules = PushRig.rules(List.of(), Optional.of(List.of()));
        assertThat(reasons(push(rig.commit("src/deep/x", "y\n")))).isEqualTo(REFUSED);
    }

    @Test
    void escapesNamesAndObjectsToThoseThatAreNotUtf8() throws Exception {
        byte[] blob = PackMaker.id(PackMaker.BLOB, "b\n".getBytes(StandardCharsets.US_ASCII));
        byte[] entry = PackMaker.treeEntry("100644", "a?b", blob);
        entry[8] = (byte) 0xFF;
        String tip = rig.commitTree(rig.object("tree", entry), main);
        Verdict verdict = push(tip);
        assertThat(reasons(verdict)).isEqualTo(REFUSED);
        assertThat(details(verdict)).contains("path a\\xffb").contains("(not UTF-8)");
        rig.rules = PushRig.rules(List.of(), Optional.empty());
        assertThat(reasons(push(tip))).isEmpty();
    }

    @Test
    void findsAddedSecretsAndNeverTellsThem() throws Exception {
        String tip = rig.commit("config.env", "a\nb\ntoken=SECRET-abc\n");
        Verdict verdict = push(tip);
        assertThat(reasons(verdict)).containsExactly(Refusal.SECRET_FOUND);
        assertThat(details(verdict))
                .isEqualTo("rule test-token in config.env line 3, commit " + tip.substring(0, 7));
        rig.publish(tip + ":refs/heads/main");
        assertThat(reasons(push(rig.commit("config.env", "token=SECRET-abc\nmore\n"))))
                .as("it was there before")
                .isEmpty();
        assertThat(reasons(push(rig.commit("other.env", "token=SECRET-abc\nelsewhere\n"))))
                .containsExactly(Refusal.SECRET_FOUND);
    }

    @Test
    void findsSecretsInTheNamesOfEmptyDirectories() throws Exception {
        String empty = rig.gitWith("", "mktree");
        String tree = rig.gitWith("040000 tree " + empty + "\tSECRET-name\n", "mktree");
        String outer = rig.gitWith("040000 tree " + tree + "\tsrc\n", "mktree");
        assertThat(reasons(push(rig.commitTree(outer)))).containsExactly(Refusal.SECRET_FOUND);
    }

    @Test
    void findsSecretsInMessagesNamesAndTags() throws Exception {
        rig.git("commit", "-q", "--allow-empty", "-m", "SECRET-message");
        assertThat(reasons(push(rig.git("rev-parse", "HEAD"))))
                .containsExactly(Refusal.SECRET_FOUND);
        rig.git("reset", "-q", "--hard", main);
        Verdict verdict = push(rig.commit("SECRET-name", "x\n"));
        assertThat(reasons(verdict)).containsExactly(Refusal.SECRET_FOUND);
        assertThat(details(verdict)).doesNotContain("SECRET");
        rig.git("tag", "-a", "-m", "SECRET-tag", "v1", main);
        verdict = rig.push("refs/tags/v1", rig.git("rev-parse", "v1"));
        assertThat(reasons(verdict)).containsExactly(Refusal.SECRET_FOUND);
        assertThat(details(verdict)).doesNotContain("SECRET");
    }

    @Test
    void findsASecretThatALaterCommitRemoves() throws Exception {
        rig.commit("config.env", "SECRET-abc\n");
        Files.delete(rig.work.resolve("config.env"));
        assertThat(reasons(push(rig.commit()))).containsExactly(Refusal.SECRET_FOUND);
    }

    @Test
    void warnsOrKeepsQuietWhenToldSo() throws Exception {
        String tip = rig.commit("config.env", "SECRET-abc\n");
        rig.content(1 << 20, 100, SecretScan.WARN);
        Verdict verdict = push(tip);
        assertThat(((Verdict.Accepted) verdict).warnings())
                .singleElement()
                .asString()
                .contains("config.env line 1")
                .doesNotContain("SECRET-abc");
        rig.content(1 << 20, 100, SecretScan.OFF);
        assertThat(push(tip)).isEqualTo(new Verdict.Accepted(List.of()));
    }
}

package dev.sallyport.push;

import static dev.sallyport.push.PackMaker.BLOB;
import static dev.sallyport.push.PackMaker.COMMIT;
import static dev.sallyport.push.PackMaker.TREE;
import static dev.sallyport.push.PushRig.reasons;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.policy.RefUpdate;
import dev.sallyport.policy.Refusal;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Well-formed packs of objects that no git would make.
class ObjectFormTest {
    private static final byte[] FILE = "file\n".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] FILE_ID = PackMaker.id(BLOB, FILE);
    private static final byte[] TREE_OF_FILE = PackMaker.treeEntry("100644", "file", FILE_ID);

    @TempDir Path root;
    private PushRig rig;
    private PackMaker pack;

    @BeforeEach
    void emptyUpstream() throws Exception {
        rig = new PushRig(root);
        pack = new PackMaker();
    }

    private Verdict push(byte[] tip, byte[] bytes) throws Exception {
        return rig.pushBytes("refs/heads/agent/x", PackMaker.hex(tip), bytes);
    }

    @Test
    void refusesTreesWithBadEntries() throws Exception {
        byte[][] trees = {
            concat(TREE_OF_FILE, TREE_OF_FILE),
            concat(TREE_OF_FILE, PackMaker.treeEntry("40000", "file", FILE_ID)),
            concat(PackMaker.treeEntry("100644", "z", FILE_ID), TREE_OF_FILE),
            PackMaker.treeEntry("100644", ".git", FILE_ID),
            PackMaker.treeEntry("100644", ".GiT", FILE_ID),
            PackMaker.treeEntry("100644", ".g\u200cit", FILE_ID),
            PackMaker.treeEntry("100644", "\ufeff.GIT", FILE_ID),
            PackMaker.treeEntry("100644", "GIT~1", FILE_ID),
            PackMaker.treeEntry("100644", ".git. ", FILE_ID),
            PackMaker.treeEntry("100644", ".git::$INDEX_ALLOCATION", FILE_ID),
            PackMaker.treeEntry("100644", ".git" + " ".repeat(100), FILE_ID),
            PackMaker.treeEntry("100644", ".g\u034f\ufe0fit", FILE_ID),
            PackMaker.treeEntry("100644", "git~2", FILE_ID),
            PackMaker.treeEntry("100644", "a\\.git\\config", FILE_ID),
            PackMaker.treeEntry("100644", "c:.git", FILE_ID),
            PackMaker.treeEntry("100644", "a\\..\\b", FILE_ID),
            PackMaker.treeEntry("100644", "..\\b", FILE_ID),
            PackMaker.treeEntry("100644", "..", FILE_ID),
            PackMaker.treeEntry("100644", ".", FILE_ID),
            PackMaker.treeEntry("100644", "a/b", FILE_ID),
            PackMaker.treeEntry("100644", "", FILE_ID),
            PackMaker.treeEntry("0100644", "file", FILE_ID),
            PackMaker.treeEntry("170000", "file", FILE_ID),
            PackMaker.treeEntry("100644", "file", new byte[20]),
            PackMaker.treeEntry("100644", "file", new byte[19]),
            PackMaker.treeEntry("40000", "file", FILE_ID),
        };
        for (byte[] tree : trees) {
            pack = new PackMaker();
            pack.whole(BLOB, FILE);
            pack.whole(TREE, tree);
            Verdict verdict = push(pack.rootCommit(tree), pack.build());
            assertThat(reasons(verdict))
                    .as(new String(tree, StandardCharsets.ISO_8859_1))
                    .containsExactly(Refusal.MALFORMED_PACK);
        }
    }

    /// Every name in which git's own `fsck` sees `.git` or, in a link, a file that git reads.
    @Test
    void refusesAllThatGitRefusesForOtherFileSystems() throws Exception {
        List<String> names = new ArrayList<>();
        for (String name :
                List.of(
                        ".git",
                        "git~1",
                        ".gitmodules",
                        "gitmod~1",
                        "GITMOD~4",
                        "gi7eba~1",
                        "GI7EB~10",
                        ".gitattributes",
                        "gitatt~2",
                        "gi7d29~1",
                        ".gitignore",
                        "GITIGN~1",
                        "gi250a~9",
                        ".mailmap",
                        "mailma~3",
                        "MABA30~1",
                        "readme")) {
            for (String end : List.of("", ".", "  ", ". .", ":", "::$DATA", " :x", "\u200d", "x")) {
                names.add(name + end);
                names.add(name.toUpperCase(Locale.ROOT) + end);
                names.add("\ufeff" + name.substring(0, 3) + "\u206a" + name.substring(3) + end);
            }
        }
        StringBuilder batch = new StringBuilder();
        String blob = rig.gitWith("elsewhere", "hash-object", "-w", "--stdin");
        names.forEach(n -> batch.append("120000 blob " + blob + "\t" + n + "\0\0"));
        List<String> trees =
                rig.gitWith(batch.toString(), "mktree", "-z", "--batch").lines().toList();
        String complaints = rig.run("", "fsck", "--strict", "--no-dangling").err();
        int complained = 0;
        for (int i = 0; i < names.size(); i++) {
            String tree = trees.get(i);
            if (complaints.lines().anyMatch(l -> l.contains(tree) && !l.contains("fullPath"))) {
                complained++;
                String tip = rig.commitTree(tree);
                Path sent = rig.packOf(List.of(tip, tree, blob));
                RefUpdate update = rig.update("refs/heads/agent/x", tip);
                assertThat(reasons(rig.judge(List.of(update), Optional.of(sent))))
                        .as(names.get(i))
                        .containsAnyOf(Refusal.MALFORMED_PACK, Refusal.PATH_NOT_ALLOWED);
            }
        }
        assertThat(complained).isGreaterThan(100);
    }

    @Test
    void passesNamesThatOnlyLookOdd() throws Exception {
        StringBuilder tree = new StringBuilder();
        String blob = rig.gitWith("plain", "hash-object", "-w", "--stdin");
        for (String name :
                List.of(
                        ".github",
                        ".gitkeep",
                        "a..b",
                        "...",
                        "a~1b",
                        "backup~",
                        "Foo::Bar.3pm",
                        "x:y",
                        "git",
                        "git~",
                        "git~x",
                        "gist~1",
                        "\u2764\ufe0f.md",
                        "a\\b",
                        "x.git",
                        "..x")) {
            tree.append("100644 blob " + blob + "\t" + name + "\0");
        }
        tree.append("120000 blob " + blob + "\tgitmodules\0");
        String tip = rig.commitTree(rig.gitWith(tree.toString(), "mktree", "-z"));
        assertThat(reasons(rig.push("refs/heads/agent/x", tip))).isEmpty();
    }

    @Test
    void refusesATreeInPlaceOfAFile() throws Exception {
        byte[] tree = PackMaker.treeEntry("100644", "file", PackMaker.id(TREE, TREE_OF_FILE));
        pack.whole(BLOB, FILE);
        pack.whole(TREE, TREE_OF_FILE);
        pack.whole(TREE, tree);
        assertThat(reasons(push(pack.rootCommit(tree), pack.build())))
                .containsExactly(Refusal.MALFORMED_PACK);
    }

    @Test
    void refusesNamesThatNoFileSystemTakes() throws Exception {
        byte[] tree = PackMaker.treeEntry("100644", "n".repeat(256), FILE_ID);
        pack.whole(BLOB, FILE);
        pack.whole(TREE, tree);
        assertThat(reasons(push(pack.rootCommit(tree), pack.build())))
                .containsExactly(Refusal.PACK_LIMIT);
    }

    @Test
    void refusesCommitsThatAreNone() throws Exception {
        String person = "A <a@test.example> 1700000000 +0000\n";
        String tree = "tree " + PackMaker.hex(PackMaker.id(TREE, TREE_OF_FILE)) + "\n";
        String[] texts = {
            "",
            tree,
            tree + "author " + person,
            "author " + person + "committer " + person + "\nx",
            tree + "author A <a@b> <c@d> 1 +0000\ncommitter " + person + "\nx",
            "tree " + "0".repeat(39) + "\nauthor " + person + "committer " + person + "\nx",
            tree + "parent xyz\nauthor " + person + "committer " + person + "\nx",
        };
        for (String text : texts) {
            pack = new PackMaker();
            pack.whole(BLOB, FILE);
            pack.whole(TREE, TREE_OF_FILE);
            byte[] raw = text.getBytes(StandardCharsets.US_ASCII);
            pack.whole(COMMIT, raw);
            Verdict verdict = push(PackMaker.id(COMMIT, raw), pack.build());
            assertThat(reasons(verdict)).as(text).containsExactly(Refusal.MALFORMED_PACK);
        }
    }

    private static byte[] concat(byte[] one, byte[] other) {
        ByteArrayOutputStream both = new ByteArrayOutputStream();
        both.writeBytes(one);
        both.writeBytes(other);
        return both.toByteArray();
    }

    @Test
    void g8KeepsNoAddressThatIsLongerThanRulesCanCover() {
        String address = "a".repeat(1 << 20) + "@test.example";
        String person = " A <" + address + "> 1 +0000\n";
        String text = "tree " + "1".repeat(40) + "\nauthor" + person + "committer" + person + "\nx";
        CommitText commit = CommitText.parse(text.getBytes(StandardCharsets.US_ASCII));
        assertThat(commit.addresses()).containsExactly(Optional.empty(), Optional.empty());
    }
}

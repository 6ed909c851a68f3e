package dev.sallyport.push;

import static dev.sallyport.push.PackMaker.BLOB;
import static dev.sallyport.push.PackMaker.COMMIT;
import static dev.sallyport.push.PackMaker.TREE;
import static dev.sallyport.push.PushRig.reasons;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.policy.Refusal;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
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

package dev.sallyport.git;

import static dev.sallyport.git.CopyFetchTest.fetch;
import static dev.sallyport.git.CopyFetchTest.packet;
import static dev.sallyport.git.CopyFetchTest.want;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.policy.MirrorUse;
import dev.sallyport.policy.RefVisibility;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Attack G7 on the copy: it holds objects that upstream shows nobody any more, and upstream would
/// refuse them.
final class CopyHiddenTest {
    @TempDir Path dir;

    private BoundaryRig rig;
    private String main;
    private String commit;
    private String tree;
    private String blob;

    /// A branch is copied and then removed. Its file is much like one that stays.
    @BeforeEach
    void hide() throws Exception {
        rig = BoundaryRig.mirrored(dir, RefVisibility.all(), MirrorUse.ON);
        Git.ok(rig.bare, "config", "uploadpack.allowAnySHA1InWant", "false");
        Path seed = dir.resolve("seed");
        Git.ok(seed, "checkout", "-q", "main");
        String text = "the quick brown fox jumps over the lazy dog\n".repeat(500);
        BoundaryRig.commit(seed, "big.txt", text + "secret\n");
        commit = Git.ok(seed, "rev-parse", "HEAD");
        tree = Git.ok(seed, "rev-parse", "HEAD^{tree}");
        blob = Git.ok(seed, "rev-parse", "HEAD:big.txt");
        Git.ok(seed, "push", "-q", rig.bare.toString(), "HEAD:refs/heads/hidden");
        Git.ok(seed, "reset", "-q", "--hard", "HEAD~1");
        BoundaryRig.commit(seed, "big.txt", text);
        Git.ok(seed, "update-index", "--add", "--cacheinfo", "160000," + commit + ",module");
        Git.ok(seed, "commit", "-q", "-m", "names a commit of another repository");
        Git.ok(seed, "push", "-q", rig.bare.toString(), "HEAD:refs/heads/main");
        main = rig.upstream("refs/heads/main");
        assertThat(fetch(rig, want(main) + "0000" + packet("done"))).contains("PACK");
        assertThat(fetch(rig, want(commit) + "0000" + packet("done"))).contains("PACK");
        Git.ok(rig.bare, "update-ref", "-d", "refs/heads/hidden");
        rig.door.events.clear();
    }

    @AfterEach
    void close() {
        rig.close();
    }

    @Test
    void aKnownIdIsNotEnough() throws Exception {
        for (String hidden : List.of(commit, tree, blob)) {
            for (String extent :
                    List.of(
                            "",
                            packet("deepen 1"),
                            packet("filter blob:none"),
                            packet("shallow " + commit) + packet("deepen 2147483647"))) {
                String rest = extent + "0000" + packet("have " + hidden) + packet("done");
                String alone = fetch(rig, packet("want " + hidden + " ofs-delta filter") + rest);
                String both = fetch(rig, want(main) + packet("want " + hidden) + rest);
                if (hidden.equals(commit)) {
                    // Of trees and files git's own server does not ask who reaches them.
                    assertThat(alone + both).doesNotContain("PACK");
                }
            }
        }
        assertThat(rig.door.recorded("git.copy")).isEmpty();
    }

    @Test
    void whatStandsBesideItIsGiven() throws Exception {
        for (String object : List.of(main + "~1", main + "^{tree}", main + ":big.txt")) {
            String id = Git.ok(rig.bare, "rev-parse", object);
            assertThat(fetch(rig, want(id) + "0000" + packet("done"))).contains("PACK");
        }
        assertThat(rig.door.recorded("git.copy")).hasSize(3);
    }

    @Test
    void aCloneBringsNothingHidden() throws Exception {
        Git.ok(dir, "clone", "-q", rig.door.url("acme/app"), "clone");
        Path clone = dir.resolve("clone");
        assertThat(rig.door.recorded("git.copy")).hasSize(1);
        assertThat(Git.run(clone, "fsck", "--full", "--strict").exit()).isZero();
        for (String hidden : List.of(commit, tree, blob)) {
            assertThat(Git.run(clone, "cat-file", "-e", hidden).exit()).isNotZero();
        }
        assertThat(Git.ok(clone, "ls-tree", "HEAD", "module")).contains(commit);
    }

    @Test
    void whatIsClaimedIsNeitherAcknowledgedNorLeftOut() throws Exception {
        String all = Git.ok(rig.bare, "rev-list", "--objects", "main");
        for (String hidden : List.of(commit, tree, blob)) {
            String question =
                    packet("want " + main + " multi_ack_detailed ofs-delta thin-pack") + "0000";
            assertThat(fetch(rig, question + packet("have " + hidden) + "0000"))
                    .contains("NAK")
                    .doesNotContain("ACK " + hidden);
            String answer = fetch(rig, question + packet("have " + hidden) + packet("done"));
            assertThat(objectCount(answer)).isEqualTo(all.lines().count());
        }
        assertThat(rig.door.recorded("git.copy")).hasSize(6);
    }

    @Test
    void inVersionTwoAClaimIsNotAcknowledgedEither() throws Exception {
        String body =
                packet("command=fetch")
                        + "0001"
                        + packet("thin-pack")
                        + packet("want " + main)
                        + packet("have " + commit)
                        + packet("have " + blob)
                        + "0000";
        String request =
                CopyFetchTest.request(body)
                        .replaceFirst("\r\n\r\n", "\r\nGit-Protocol: version=2\r\n\r\n");
        assertThat(RawClient.send(rig.door.port(), request))
                .contains("acknowledgments", "NAK")
                .doesNotContain("ACK " + commit, "ACK " + blob);
        assertThat(rig.door.recorded("git.copy")).hasSize(1);
    }

    /// What the pack of an answer says it holds.
    private static long objectCount(String answer) {
        byte[] head =
                answer.substring(answer.indexOf("PACK")).getBytes(StandardCharsets.ISO_8859_1);
        return ByteBuffer.wrap(head).getInt(8);
    }
}

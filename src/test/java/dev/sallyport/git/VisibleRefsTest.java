package dev.sallyport.git;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.config.Limits;
import dev.sallyport.fixture.Command;
import dev.sallyport.policy.PushRules;
import dev.sallyport.policy.RefPattern;
import dev.sallyport.policy.RefVisibility;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A session that sees only some refs, tried with real git in every protocol version.
final class VisibleRefsTest {
    @TempDir Path dir;

    private BoundaryRig rig(String... patterns) throws Exception {
        List<RefPattern> list = new ArrayList<>();
        for (String pattern : patterns) {
            list.add(RefPattern.parseFull(pattern));
        }
        return new BoundaryRig(
                dir, Limits.standard(), RefVisibility.of(list), PushRules.standard());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void showsOnlyTheVisibleOnes(int version) throws Exception {
        try (BoundaryRig rig = rig("refs/heads/main", "refs/heads/agent/new/**")) {
            String listed =
                    Git.ok(
                            rig.work,
                            "-c",
                            "protocol.version=" + version,
                            "ls-remote",
                            "--symref",
                            "origin");

            assertThat(listed)
                    .contains("refs/heads/main", "ref: refs/heads/main\tHEAD")
                    .doesNotContain("agent/old", "refs/tags");
            assertThat(Git.ok(rig.bare, "for-each-ref")).contains("agent/old", "refs/tags/v1");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    void clonesShallowAndPartiallyAndFetchesOn(int version) throws Exception {
        try (BoundaryRig rig = rig("refs/heads/main")) {
            String protocol = "protocol.version=" + version;
            Git.ok(rig.dir, "-c", protocol, "clone", "-q", "--depth=1", url(rig), "shallow");
            Git.ok(rig.dir, "-c", protocol, "clone", "-q", "--filter=blob:none", url(rig), "part");
            Git.ok(rig.dir.resolve("shallow"), "-c", protocol, "fetch", "-q", "--unshallow");
            Path seed = rig.dir.resolve("seed");
            Git.ok(seed, "checkout", "-q", "main");
            BoundaryRig.commit(seed, "later.txt", "later\n");
            Git.ok(seed, "push", "-q", "-f", rig.bare.toString(), "HEAD:main");
            Git.ok(rig.work, "-c", protocol, "fetch", "-q", "origin");

            assertThat(Git.ok(rig.work, "rev-parse", "origin/main"))
                    .isEqualTo(rig.upstream("refs/heads/main"));
        }
    }

    private static String url(BoundaryRig rig) {
        return rig.door.url("acme/app");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    void g7AKnownIdOfAHiddenObjectIsNotEnough(int version) throws Exception {
        try (BoundaryRig rig = rig("refs/heads/main")) {
            String commit = rig.upstream("refs/heads/agent/old");
            String blob = Git.ok(rig.bare, "rev-parse", commit + ":old.txt");
            for (String hidden : List.of(commit, blob, "1".repeat(40))) {
                Command.Result fetch =
                        Git.run(
                                rig.work,
                                "-c",
                                "protocol.version=" + version,
                                "fetch",
                                "origin",
                                hidden);
                assertThat(fetch.exit()).isNotZero();
                assertThat(Git.run(rig.work, "cat-file", "-e", hidden).exit()).isNotZero();
            }
        }
    }

    @Test
    void g7TheSameIdIsGivenWhereTheRefIsVisible() throws Exception {
        try (BoundaryRig rig = rig("refs/heads/main", "refs/heads/agent/*")) {
            String commit = rig.upstream("refs/heads/agent/old");
            Git.ok(rig.work, "fetch", "-q", "origin", commit);
            assertThat(Git.run(rig.work, "cat-file", "-e", commit).exit()).isZero();
        }
    }

    @Test
    void wantsByHandAreCheckedAsWell() throws Exception {
        try (BoundaryRig rig = rig("refs/heads/main")) {
            String hidden = rig.upstream("refs/heads/agent/old");
            String main = rig.upstream("refs/heads/main");
            assertThat(fetch(rig, "0032want " + hidden + "\n00000009done\n"))
                    .contains("ERR sallyport: not our ref " + hidden)
                    .doesNotContain("PACK");
            assertThat(fetch(rig, "0032want " + main + "\n00000009done\n")).contains("PACK");
            for (String odd :
                    List.of(
                            "0014command=ls-refs\n0000",
                            "003bwant-ref refs/heads/agent/old"
                                    + "0".repeat(26)
                                    + "\n00000009done\n",
                            "0032WANT " + main + "\n00000009done\n",
                            "0032want " + main + "\n0009done\n0000",
                            "0000",
                            "")) {
                assertThat(fetch(rig, odd)).startsWith("HTTP/1.1 400");
            }
        }
    }

    @Test
    void g7AShallowLineDoesNotOpenTheHistoryOfAHiddenCommit() throws Exception {
        try (BoundaryRig rig = rig("refs/heads/main")) {
            String parent = rig.upstream("refs/heads/agent/old");
            String tree = Git.ok(rig.bare, "rev-parse", parent + "^{tree}");
            String hidden = Git.ok(rig.bare, "commit-tree", tree, "-p", parent, "-m", "hidden");
            Git.ok(rig.bare, "update-ref", "refs/heads/agent/old", hidden);
            String body =
                    packet("want " + rig.upstream("refs/heads/main") + " ofs-delta")
                            + packet("shallow " + hidden)
                            + packet("deepen 2147483647")
                            + "0000"
                            + packet("done");
            String answer = fetch(rig, body);

            assertThat(answer).contains("PACK").doesNotContain("unshallow");
            assertThat(objectCount(answer))
                    .isEqualTo(Git.ok(rig.bare, "rev-list", "--objects", "main").lines().count());
        }
    }

    @Test
    void g7AHaveLineDoesNotTellThatAHiddenCommitExists() throws Exception {
        try (BoundaryRig rig = rig("refs/heads/main")) {
            String main = rig.upstream("refs/heads/main");
            String hidden = rig.upstream("refs/heads/agent/old");
            String first = Git.ok(rig.bare, "rev-parse", main + "~1");
            String want = packet("want " + main + " multi_ack_detailed") + "0000";
            assertThat(fetch(rig, want + packet("have " + hidden) + "0000"))
                    .contains("NAK")
                    .doesNotContain(hidden);
            assertThat(fetch(rig, want + packet("have " + first) + "0000"))
                    .contains("ACK " + first + " common");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "sparse:oid=v1:README",
                "combine:sparse%3aoid%3dagent%2fold%3aold%2etxt",
                "combine:blob:none+sparse:oid=v1",
                "blob:none+tree:0",
                "tree:-1"
            })
    void filtersThatNameObjectsAreNotRelayed(String filter) throws Exception {
        try (BoundaryRig rig = rig("refs/heads/main")) {
            String body =
                    packet("want " + rig.upstream("refs/heads/main") + " filter")
                            + packet("filter " + filter)
                            + "0000"
                            + packet("done");
            assertThat(fetch(rig, body)).startsWith("HTTP/1.1 400");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "blob:none",
                "blob:limit=10k",
                "tree:0",
                "object:type=commit",
                "combine:blob:none+tree:1"
            })
    void filtersBySizeDepthAndTypeAreRelayed(String filter) throws Exception {
        try (BoundaryRig rig = rig("refs/heads/main")) {
            String body =
                    packet("want " + rig.upstream("refs/heads/main") + " filter")
                            + packet("filter " + filter)
                            + "0000"
                            + packet("done");
            assertThat(fetch(rig, body)).contains("PACK");
        }
    }

    @Test
    void g8OneSandboxFillsOnlyItsPartOfTheMemoryForRequests() throws Exception {
        try (BoundaryRig rig = rig("refs/heads/main")) {
            String want = packet("want " + rig.upstream("refs/heads/main")) + "0000";
            String have = packet("have " + "1".repeat(40));
            for (int round = 0; round < 3; round++) {
                assertThat(fetch(rig, want + have.repeat((4 << 20) / have.length())))
                        .startsWith("HTTP/1.1 503");
                assertThat(fetch(rig, want + have.repeat(50_000) + packet("done")))
                        .contains("PACK");
            }
        }
    }

    private static String packet(String line) {
        return String.format("%04x%s\n", line.length() + 5, line);
    }

    /// What the pack of an answer says it holds.
    private static long objectCount(String answer) {
        byte[] head =
                answer.substring(answer.indexOf("PACK")).getBytes(StandardCharsets.ISO_8859_1);
        return ByteBuffer.wrap(head).getInt(8);
    }

    private static String fetch(BoundaryRig rig, String body) throws Exception {
        return RawClient.send(
                rig.door.port(),
                RawClient.post(
                        "/git/" + DoorRig.HOST + "/acme/app.git/git-upload-pack",
                        "application/x-git-upload-pack-request",
                        body));
    }

    @Test
    void tagsThatAreHiddenDoNotComeAlong() throws Exception {
        try (BoundaryRig rig = rig("refs/heads/main")) {
            Git.ok(rig.dir, "clone", "-q", url(rig), "again");
            assertThat(Git.ok(rig.dir.resolve("again"), "tag")).isEmpty();
            String tag = Git.ok(rig.bare, "rev-parse", "v1");
            assertThat(Git.run(rig.dir.resolve("again"), "cat-file", "-e", tag).exit()).isNotZero();
        }
    }

    @Test
    void whatIsHiddenCanNotBePushedTo() throws Exception {
        try (BoundaryRig rig = rig("refs/heads/main", "refs/heads/agent/new/**")) {
            rig.commit("x", "x");
            assertThat(rig.push("HEAD:agent/old").err()).contains("ref-not-allowed");
            assertThat(rig.pushesSent()).isZero();
            rig.push("HEAD:agent/new/x").ok();
        }
    }

    @Test
    void anEmptyListShowsNothing() throws Exception {
        try (BoundaryRig rig = rig()) {
            assertThat(Git.ok(rig.work, "ls-remote", "origin")).isEmpty();
        }
    }
}

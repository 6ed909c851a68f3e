package dev.sallyport.git;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Command;
import dev.sallyport.policy.MirrorUse;
import dev.sallyport.policy.RefPattern;
import dev.sallyport.policy.RefVisibility;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Clones with real git that the local copy answers.
final class CopyFetchTest {
    @TempDir Path dir;

    private BoundaryRig rig(MirrorUse use) throws Exception {
        return BoundaryRig.mirrored(dir, RefVisibility.all(), use);
    }

    private static Command.Result git(BoundaryRig rig, int version, String... arguments) {
        List<String> all = new ArrayList<>(List.of("-c", "protocol.version=" + version));
        all.addAll(List.of(arguments));
        return Git.run(rig.dir, all.toArray(String[]::new));
    }

    private static String url(BoundaryRig rig) {
        return rig.door.url("acme/app");
    }

    private static int copied(DoorRig door) {
        return door.recorded("git.copy").size();
    }

    /// How many requests for a pack, or for refs in version 2, upstream has seen.
    private static long posts(BoundaryRig rig) {
        return rig.backend.seen().stream()
                .filter(seen -> seen.toString().endsWith("/git-upload-pack"))
                .filter(seen -> seen.method().equals("POST"))
                .count();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void aWarmCloneAsksUpstreamForItsRefsAlone(int version) throws Exception {
        try (BoundaryRig rig = rig(MirrorUse.ON)) {
            int before = copied(rig.door);
            rig.backend.seen().clear();
            git(rig, version, "clone", "-q", url(rig), "again").ok();

            assertThat(posts(rig)).isEqualTo(version == 2 ? 1 : 0);
            assertThat(copied(rig.door)).isEqualTo(before + 1);
            Path again = rig.dir.resolve("again");
            assertThat(Git.run(again, "fsck", "--full", "--strict").exit()).isZero();
            assertThat(Git.ok(again, "rev-parse", "origin/agent/old"))
                    .isEqualTo(rig.upstream("refs/heads/agent/old"));
            assertThat(Git.ok(again, "rev-parse", "v1")).isEqualTo(rig.upstream("refs/tags/v1"));
            assertThat(rig.door.bytesDown.get()).isPositive();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    void shallowPartialAndSingleBranchClonesComeFromTheCopy(int version) throws Exception {
        try (BoundaryRig rig = rig(MirrorUse.ON)) {
            rig.backend.seen().clear();
            int before = copied(rig.door);
            git(rig, version, "clone", "-q", "--depth=1", url(rig), "shallow").ok();
            git(rig, version, "clone", "-q", "--single-branch", "-b", "agent/old", url(rig), "one")
                    .ok();
            git(rig, version, "clone", "-q", "-n", "--filter=blob:none", url(rig), "part").ok();
            assertThat(posts(rig)).isEqualTo(version == 2 ? 3 : 0);
            int clones = copied(rig.door);
            assertThat(clones).isGreaterThanOrEqualTo(before + 3);
            git(rig, version, "-C", "part", "checkout", "-q", "main").ok();
            assertThat(copied(rig.door)).as("files by their ids").isGreaterThan(clones);
            git(rig, version, "-C", "shallow", "fetch", "-q", "--unshallow").ok();

            assertThat(Files.readString(rig.dir.resolve("part/README.md"))).isEqualTo("# app\n");
            assertThat(Git.ok(rig.dir.resolve("shallow"), "rev-list", "--count", "HEAD"))
                    .isEqualTo("3");
            assertThat(Git.ok(rig.dir.resolve("one"), "branch", "-r")).doesNotContain("main");
            assertThat(Git.run(rig.dir.resolve("one"), "fsck", "--full").exit()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    void whatUpstreamHasNewComesAlong(int version) throws Exception {
        try (BoundaryRig rig = rig(MirrorUse.ON)) {
            Path seed = rig.dir.resolve("seed");
            BoundaryRig.commit(seed, "later.txt", "later\n");
            Git.ok(seed, "push", "-q", rig.bare.toString(), "HEAD:refs/heads/later");
            int before = copied(rig.door);
            git(rig, version, "-C", "work", "fetch", "-q", "origin").ok();

            assertThat(copied(rig.door)).isGreaterThan(before);
            assertThat(Git.ok(rig.work, "rev-parse", "origin/later"))
                    .isEqualTo(rig.upstream("refs/heads/later"));
            assertThat(Git.run(rig.work, "fsck", "--full").exit()).isZero();
        }
    }

    @Test
    void byItselfTheCopyAnswersTheSecondClone() throws Exception {
        try (BoundaryRig rig = rig(MirrorUse.AUTO)) {
            assertThat(copied(rig.door)).isZero();
            git(rig, 2, "clone", "-q", "--depth=1", url(rig), "shallow").ok();
            assertThat(copied(rig.door)).as("a part is no reason for a copy").isZero();
            git(rig, 2, "clone", "-q", url(rig), "second").ok();
            assertThat(copied(rig.door)).isEqualTo(1);
        }
    }

    @Test
    void byItselfTheCopyAnswersAfterAPush() throws Exception {
        try (BoundaryRig rig = rig(MirrorUse.AUTO)) {
            rig.commit("x", "x");
            rig.push("HEAD:agent/x").ok();
            git(rig, 2, "clone", "-q", "--depth=1", url(rig), "shallow").ok();
            assertThat(copied(rig.door)).isEqualTo(1);
        }
    }

    @Test
    void whereItIsOffUpstreamAnswers() throws Exception {
        try (BoundaryRig rig = rig(MirrorUse.OFF)) {
            for (String name : List.of("a", "b", "c")) {
                git(rig, 2, "clone", "-q", url(rig), name).ok();
            }
            assertThat(copied(rig.door)).isZero();
            assertThat(rig.door.mirrors().toFile().list()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {401, 403, 404})
    void whoLostAccessUpstreamGetsNothingAlthoughItIsHere(int status) throws Exception {
        try (BoundaryRig rig = rig(MirrorUse.ON)) {
            String body = want(rig.upstream("refs/heads/main")) + "0000" + packet("done");
            assertThat(fetch(rig, body)).contains("PACK");
            int before = copied(rig.door);
            rig.backend.fail(_ -> status);
            String refused = fetch(rig, body);
            assertThat(git(rig, 2, "clone", url(rig), "gone").exit()).isNotZero();

            assertThat(refused).doesNotContain("PACK");
            assertThat(copied(rig.door)).isEqualTo(before);
            try (DoorRig fresh = rig.freshDoor()) {
                String relayed = RawClient.send(fresh.port(), request(body));
                assertThat(refused.lines().findFirst()).isEqualTo(relayed.lines().findFirst());
            }
        }
    }

    @Test
    void whatCannotBeRecordedIsNotAnswered() throws Exception {
        try (BoundaryRig rig = rig(MirrorUse.ON)) {
            rig.door.failRecording("git.copy");
            String body = want(rig.upstream("refs/heads/main")) + "0000" + packet("done");
            assertThat(fetch(rig, body)).doesNotContain("PACK").doesNotStartWith("HTTP/1.1 200");
        }
    }

    @Test
    void eightColdClonesAtOnceFetchThePackOnce() throws Exception {
        try (BoundaryRig rig = rig(MirrorUse.ON);
                DoorRig door = rig.freshDoor();
                ExecutorService pool = Executors.newVirtualThreadPerTaskExecutor()) {
            rig.backend.seen().clear();
            List<Callable<Command.Result>> clones = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                String name = "cold" + i;
                clones.add(() -> git(rig, 0, "clone", "-q", door.url("acme/app"), name));
            }
            for (Future<Command.Result> clone : pool.invokeAll(clones)) {
                clone.get().ok();
            }
            assertThat(posts(rig)).isEqualTo(1);
            assertThat(copied(door)).isEqualTo(8);
        }
    }

    /// A tree that git takes and JGit does not makes the copy look spoilt, and a new one as well.
    @Test
    void whatUpstreamHasSpoiltDoesNotVoidTheCopyAgainAndAgain() throws Exception {
        try (BoundaryRig rig = rig(MirrorUse.ON)) {
            byte[] tree = Arrays.copyOf("0 odd\0".getBytes(StandardCharsets.US_ASCII), 26);
            String readme = Git.ok(rig.bare, "rev-parse", "main:README.md");
            System.arraycopy(HexFormat.of().parseHex(readme), 0, tree, 6, 20);
            Path file = Files.write(rig.dir.resolve("tree"), tree);
            String id =
                    Git.ok(
                            rig.bare,
                            "hash-object",
                            "-w",
                            "-t",
                            "tree",
                            "--literally",
                            file.toString());
            String odd = Git.ok(rig.bare, "commit-tree", id, "-m", "odd");
            Git.ok(rig.bare, "update-ref", "refs/heads/odd", odd);
            int before = copied(rig.door);
            String body = want(odd) + "0000" + packet("done");
            assertThat(fetch(rig, body)).contains("PACK");
            rig.backend.seen().clear();

            assertThat(fetch(rig, body)).contains("PACK");
            assertThat(rig.backend.seen()).as("relayed at once").hasSize(1);
            assertThat(copied(rig.door)).isEqualTo(before);
        }
    }

    @Test
    void treesAreLeftOutAltogetherOrByUpstream() {
        assertThat(FetchRequest.isCopyable("filter tree:0")).isTrue();
        assertThat(FetchRequest.isCopyable("filter tree:2")).isFalse();
    }

    @Test
    void theSessionsNoticesAreTold() throws Exception {
        try (BoundaryRig rig = rig(MirrorUse.ON)) {
            rig.door.notices = List.of("this session ends soon");
            assertThat(git(rig, 2, "clone", url(rig), "told").err())
                    .contains("this session ends soon");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    void aSessionThatSeesSomeRefsGetsTheseFromTheCopy(int version) throws Exception {
        RefVisibility main = RefVisibility.of(List.of(RefPattern.parseFull("refs/heads/main")));
        try (BoundaryRig rig = BoundaryRig.mirrored(dir, main, MirrorUse.ON)) {
            int before = copied(rig.door);
            git(rig, version, "clone", "-q", url(rig), "some").ok();
            assertThat(copied(rig.door)).isEqualTo(before + 1);
            Path some = rig.dir.resolve("some");
            assertThat(Git.ok(some, "for-each-ref")).doesNotContain("agent/old", "v1");
            String hidden = rig.upstream("refs/heads/agent/old");
            assertThat(Git.run(some, "cat-file", "-e", hidden).exit()).isNotZero();
        }
    }

    static String packet(String line) {
        return String.format("%04x%s\n", line.length() + 5, line);
    }

    static String want(String id) {
        return packet("want " + id + " ofs-delta");
    }

    static String request(String body) {
        return RawClient.post(
                "/git/" + DoorRig.HOST + "/acme/app.git/git-upload-pack",
                "application/x-git-upload-pack-request",
                body);
    }

    static String fetch(BoundaryRig rig, String body) throws Exception {
        return RawClient.send(rig.door.port(), request(body));
    }
}

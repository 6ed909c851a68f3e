package dev.sallyport.git;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.policy.MirrorUse;
import dev.sallyport.policy.RefPattern;
import dev.sallyport.policy.RefVisibility;
import io.netty.buffer.ByteBuf;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What git's own client shows while it waits for the copy, which gets nothing from upstream until
/// the client has shown a line.
final class FetchTalkTest {
    private static final String LINE = "remote: Sallyport: copying acme/app";

    @TempDir Path dir;

    /// Holds what the gateway asks for its copy, and all that comes later gets the status `then`.
    private static final class Held {
        private final CountDownLatch shown = new CountDownLatch(1);
        private final AtomicBoolean first = new AtomicBoolean(true);
        private final int status;
        private final int then;

        /// @param status of what was held; 0 for the real answer
        Held(int status, int then) {
            this.status = status;
            this.then = then;
        }

        int status(GitBackend.Seen seen) {
            if (!seen.toString().equals("POST /acme/app.git/git-upload-pack")) {
                return 0;
            }
            // The gateway speaks version 0; git asks for refs in version 2 before.
            if (seen.header("Git-protocol").isEmpty() && first.getAndSet(false)) {
                return held();
            }
            return first.get() ? 0 : then;
        }

        private int held() {
            try {
                return shown.await(2, TimeUnit.MINUTES) ? status : 500;
            } catch (InterruptedException _) {
                return 500;
            }
        }
    }

    /// How git ended, and what it said.
    private record Told(int exit, String err) {}

    private static Told git(BoundaryRig rig, Held held, String... arguments) throws Exception {
        rig.backend.fail(held::status);
        Process git = Git.command(rig.dir, arguments).start();
        StringBuilder err = new StringBuilder();
        try (InputStream in = git.getErrorStream()) {
            for (int next = in.read(); next >= 0; next = in.read()) {
                err.append((char) next);
                if (err.indexOf(LINE) >= 0) {
                    held.shown.countDown();
                }
            }
        } finally {
            held.shown.countDown();
        }
        return new Told(git.waitFor(), err.toString());
    }

    private static Told clone(
            BoundaryRig rig, DoorRig door, Held held, int version, String... options)
            throws Exception {
        List<String> all = new ArrayList<>(List.of("-c", "protocol.version=" + version, "clone"));
        all.addAll(List.of(options));
        all.addAll(List.of(door.url("acme/app"), "told"));
        return git(rig, held, all.toArray(String[]::new));
    }

    private BoundaryRig rig() throws Exception {
        return BoundaryRig.mirrored(dir, RefVisibility.all(), MirrorUse.ON);
    }

    private static void requireWhole(BoundaryRig rig, Told told) {
        assertThat(told.exit()).as(told.err()).isZero();
        Path clone = rig.dir.resolve("told");
        assertThat(Git.run(clone, "fsck", "--full", "--strict").exit()).isZero();
        assertThat(Git.ok(clone, "rev-parse", "origin/main"))
                .isEqualTo(rig.upstream("refs/heads/main"));
    }

    private static void requireNothing(BoundaryRig rig, Told told) {
        assertThat(told.exit()).as(told.err()).isNotZero();
        assertThat(rig.dir.resolve("told")).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void aCloneIsToldHowFarTheCopyIsAndThenComesFromIt(int version) throws Exception {
        try (BoundaryRig rig = rig();
                DoorRig door = rig.talkativeDoor()) {
            door.notices = List.of("this session ends soon");
            Told told = clone(rig, door, new Held(0, 500), version);
            assertThat(told.err()).contains(LINE).containsOnlyOnce("this session ends soon");
            requireWhole(rig, told);
            assertThat(door.recorded("git.copy")).hasSize(1);
        }
    }

    @Test
    void aPersonReadsItInOneLine() throws Exception {
        try (BoundaryRig rig = rig();
                DoorRig door = rig.talkativeDoor()) {
            Told told =
                    clone(rig, door, new Held(0, 500), 2, "--progress", "-n", "--filter=blob:none");
            assertThat(told.err()).containsPattern(LINE + "[^\n]*\r").contains(", done");
            assertThat(told.exit()).as(told.err()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    void whenTheCopyFailsUpstreamsAnswerFollowsTheLines(int version) throws Exception {
        try (BoundaryRig rig = rig();
                DoorRig door = rig.talkativeDoor()) {
            Told told = clone(rig, door, new Held(500, 0), version);
            assertThat(told.err()).contains(LINE);
            requireWhole(rig, told);
            assertThat(door.recorded("git.copy")).isEmpty();
            assertThat(door.recorded("git.failed")).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    void whenUpstreamFailsTooGitIsToldWhyAndItIsRecorded(int version) throws Exception {
        try (BoundaryRig rig = rig();
                DoorRig door = rig.talkativeDoor()) {
            Told told = clone(rig, door, new Held(500, 403), version);
            requireNothing(rig, told);
            assertThat(told.err()).contains(LINE).contains("reason: upstream-forbidden");
            assertThat(door.recorded("git.failed")).containsExactly(" upstream-forbidden");
            String id = door.events.getLast().detail().get("id");
            assertThat(told.err()).contains("id: " + id);
        }
    }

    @Test
    void whatCannotBeRecordedIsAnErrorBehindTheLines() throws Exception {
        try (BoundaryRig rig = rig();
                DoorRig door = rig.talkativeDoor()) {
            door.failRecording("git.copy");
            Told told = clone(rig, door, new Held(0, 0), 2);
            requireNothing(rig, told);
            assertThat(told.err()).contains(LINE).contains("reason: not-recorded");
        }
    }

    /// The first lines of an answer to these say where history is cut, or which commits are common.
    @ParameterizedTest
    @ValueSource(strings = {"--depth=1", "--shallow-since=2001-01-01"})
    void whatBeginsOtherwiseIsToldNothingAndWorks(String option) throws Exception {
        try (BoundaryRig rig = rig();
                DoorRig door = rig.talkativeDoor()) {
            rig.backend.delayFetches(Duration.ofMillis(200));
            Held none = new Held(0, 0);
            none.shown.countDown();
            Told told = clone(rig, door, none, 2, option);
            assertThat(told.exit()).as(told.err()).isZero();
            assertThat(told.err()).doesNotContain("Sallyport");
            assertThat(door.recorded("git.copy")).hasSize(1);
        }
    }

    @Test
    void anUpstreamWithoutItsWholeHistoryAnswersInSilence() throws Exception {
        try (BoundaryRig rig = rig();
                DoorRig door = rig.talkativeDoor()) {
            String main = rig.upstream("refs/heads/main");
            String old = rig.upstream("refs/heads/agent/old");
            Files.writeString(rig.bare.resolve("shallow"), main + "\n" + old + "\n");
            rig.backend.delayFetches(Duration.ofMillis(200));
            Held none = new Held(0, 0);
            none.shown.countDown();
            Told told = clone(rig, door, none, 2);
            assertThat(told.exit()).as(told.err()).isZero();
            assertThat(told.err()).doesNotContain("Sallyport");
            assertThat(Git.ok(rig.dir.resolve("told"), "rev-list", "--count", "origin/main"))
                    .isEqualTo("1");
        }
    }

    @Test
    void aSessionThatSeesSomeRefsIsToldToo() throws Exception {
        RefVisibility main = RefVisibility.of(List.of(RefPattern.parseFull("refs/heads/main")));
        try (BoundaryRig rig = BoundaryRig.mirrored(dir, main, MirrorUse.ON);
                DoorRig door = rig.talkativeDoor()) {
            Told told = clone(rig, door, new Held(0, 0), 2);
            assertThat(told.err()).contains(LINE);
            requireWhole(rig, told);
        }
    }

    @Test
    void whatItMayNotSeeIsAnErrorBehindTheLines() throws Exception {
        RefVisibility main = RefVisibility.of(List.of(RefPattern.parseFull("refs/heads/main")));
        try (BoundaryRig rig = BoundaryRig.mirrored(dir, main, MirrorUse.ON);
                DoorRig door = rig.talkativeDoor()) {
            String hidden = rig.upstream("refs/heads/agent/old");
            Held held = new Held(0, 0);
            rig.backend.fail(held::status);
            String body =
                    CopyFetchTest.packet("want " + hidden + " side-band-64k")
                            + "0000"
                            + CopyFetchTest.packet("done");
            String answer =
                    RawClient.send(
                            door.port(),
                            CopyFetchTest.request(body),
                            read -> {
                                if (read.contains("Sallyport: copying acme/app")) {
                                    held.shown.countDown();
                                }
                            });
            assertThat(answer)
                    .startsWith("HTTP/1.1 200")
                    .contains("0008NAK\n", "\u0003sallyport: not our ref " + hidden)
                    .doesNotContain("PACK");
            assertThat(door.recorded("git.failed")).containsExactly(" ref-not-allowed");
        }
    }

    @Test
    void aPushIsToldInTheSameWay() throws Exception {
        try (BoundaryRig rig = rig();
                DoorRig door = rig.talkativeDoor()) {
            rig.commit("x", "x");
            Told told =
                    git(
                            rig,
                            new Held(0, 0),
                            "-C",
                            "work",
                            "push",
                            door.url("acme/app"),
                            "HEAD:agent/x");
            assertThat(told.exit()).as(told.err()).isZero();
            assertThat(told.err()).contains(LINE + " to judge the push");
            assertThat(rig.upstream("refs/heads/agent/x"))
                    .isEqualTo(Git.ok(rig.work, "rev-parse", "HEAD"));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 1_000})
    void theBeginningIsTakenOffWhereverTheAnswerIsCut(int size) {
        assertThat(taken("000dpackfile\n0009\u0001PACK0000", size)).isEqualTo("0009\u0001PACK0000");
        assertThat(taken("000cpackfile0009\u0001PACK0000", size)).isEqualTo("0009\u0001PACK0000");
        assertThat(taken("000dERR gone\n0000", size)).isEqualTo("0009\u0003gone0000");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "000dpackfi",
                "0000000dpackfile\n",
                "0011shallow-info\n0001000dpackfile\n",
                "0014acknowledgments\n0001000dpackfile\n",
                "0008NAK\n0009\u0001PACK",
                "000e\u0001packfile\n0000",
                "PACK"
            })
    void anAnswerThatBeginsOtherwiseIsRefused(String wire) {
        List<ByteBuf> pieces = List.of(FilterRun.wire(wire));
        assertThat(FilterRun.through(FetchOpening.PACKFILE.taken(), pieces)).isEmpty();
    }

    private static String taken(String wire, int size) {
        List<ByteBuf> pieces = new ArrayList<>();
        for (int at = 0; at < wire.length(); at += size) {
            pieces.add(FilterRun.wire(wire.substring(at, Math.min(wire.length(), at + size))));
        }
        return FilterRun.through(FetchOpening.PACKFILE.taken(), pieces).orElseThrow();
    }

    @Test
    void onlyARequestThatIsDoneAndCutsNothingHasOneBeginning() throws Exception {
        String id = "1".repeat(40);
        assertThat(current("want " + id, "done")).isEqualTo(FetchOpening.PACKFILE);
        assertThat(current("want " + id, "have " + id, "done")).isEqualTo(FetchOpening.PACKFILE);
        assertThat(current("want " + id, "filter blob:none", "done"))
                .isEqualTo(FetchOpening.PACKFILE);
        assertThat(current("want " + id, "have " + id)).isEqualTo(FetchOpening.UNKNOWN);
        assertThat(current("want " + id, "deepen 1", "done")).isEqualTo(FetchOpening.UNKNOWN);
        assertThat(current("want " + id, "shallow " + id, "done")).isEqualTo(FetchOpening.UNKNOWN);

        String want = CopyFetchTest.packet("want " + id + " side-band-64k");
        String done = CopyFetchTest.packet("done");
        assertThat(old(want + "0000" + done)).isEqualTo(FetchOpening.NAK);
        assertThat(old(CopyFetchTest.want(id) + "0000" + done)).isEqualTo(FetchOpening.UNKNOWN);
        assertThat(old(want + "0000")).isEqualTo(FetchOpening.UNKNOWN);
        assertThat(old(want + "0000" + CopyFetchTest.packet("have " + id) + done))
                .isEqualTo(FetchOpening.UNKNOWN);
        assertThat(old(want + CopyFetchTest.packet("deepen 1") + "0000" + done))
                .isEqualTo(FetchOpening.UNKNOWN);
    }

    private static FetchOpening current(String... arguments) throws Exception {
        StringBuilder body = new StringBuilder(CopyFetchTest.packet("command=fetch") + "0001");
        List.of(arguments).forEach(line -> body.append(CopyFetchTest.packet(line)));
        byte[] bytes = body.append("0000").toString().getBytes(StandardCharsets.US_ASCII);
        return FetchCommand.parse(bytes).opening();
    }

    private static FetchOpening old(String body) throws Exception {
        return FetchRequest.parse(FilterRun.wire(body), RefVisibility.all()).opening();
    }
}

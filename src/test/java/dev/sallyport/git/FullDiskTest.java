package dev.sallyport.git;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.config.Limits;
import dev.sallyport.fixture.Command;
import dev.sallyport.policy.Access;
import dev.sallyport.policy.MirrorUse;
import dev.sallyport.policy.PushRules;
import dev.sallyport.policy.RefPattern;
import dev.sallyport.policy.RefVisibility;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// A full disk is called that in git's own output, and the push goes nowhere.
class FullDiskTest {
    private static final String SENTENCE = "the disk of the machine that runs this sandbox is full";

    @TempDir Path dir;

    @Test
    void aPackThatTheDiskDoesNotTakeIsDeniedInGitsReport() throws Exception {
        try (BoundaryRig rig = BoundaryRig.standard(dir)) {
            rig.commit("noise.txt", noise());
            Path work = rig.door.work();
            Files.createDirectories(work);
            mount(work);
            try {
                Command.Result push = rig.push("HEAD:agent/x");

                assertThat(push.exit()).isNotZero();
                assertThat(push.all()).contains(SENTENCE, "remote rejected");
                assertThat(rig.upstream("refs/heads/agent/x")).isEmpty();
                assertThat(rig.pushesSent()).isZero();
                assertThat(rig.door.events)
                        .anySatisfy(
                                event ->
                                        assertThat(event.detail())
                                                .containsEntry("reason-1", "disk-full"));
            } finally {
                unmount(work);
            }
            assertThat(rig.push("HEAD:agent/x").exit()).as("with room again").isZero();
        }
    }

    /// The copy is what a push is judged against, and what a session that sees only some refs may
    /// fetch is looked up in.
    @Test
    void aCopyThatTheDiskDoesNotTakeIsToldToPushesAndFetches() throws Exception {
        try (BoundaryRig rig =
                new BoundaryRig(dir, Limits.standard(), some(), PushRules.standard())) {
            rig.commit("x.txt", "x");
            BoundaryRig.commit(rig.dir.resolve("seed"), "noise.txt", noise());
            Git.ok(rig.dir.resolve("seed"), "push", "-q", rig.bare.toString(), "HEAD:agent/big");
            Path mirrors = rig.door.mirrors();
            mount(mirrors);
            try {
                Command.Result push = rig.push("HEAD:agent/x");
                requireTold(push);
                assertThat(push.all()).contains("remote rejected");
                requireTold(Git.run(rig.work, "fetch", "origin"));
                assertThat(rig.pushesSent()).isZero();
            } finally {
                unmount(mirrors);
            }
            assertThat(rig.push("HEAD:agent/x").exit()).as("with room again").isZero();
            Git.ok(rig.work, "fetch", "origin");
        }
    }

    private static RefVisibility some() throws Exception {
        return RefVisibility.of(List.of(RefPattern.parseFull("refs/heads/**")));
    }

    /// Everything that a push writes before it goes upstream, in this order.
    @ParameterizedTest
    @CsvSource({
        "git.request, advertise, agent/x",
        "git.request, call, agent/x",
        "git.push, '', agent/x",
        "git.push, '', main",
    })
    void aPushThatTheRecordHasNoRoomForIsToldSo(String kind, String phase, String branch)
            throws Exception {
        try (BoundaryRig rig = BoundaryRig.standard(dir)) {
            rig.commit("x.txt", "x");
            String main = rig.upstream("refs/heads/main");
            rig.door.diskFull = line(kind, phase);

            requireTold(rig.push("HEAD:" + branch));

            assertThat(rig.upstreamRefs()).doesNotContain("refs/heads/agent/x");
            assertThat(rig.upstream("refs/heads/main")).isEqualTo(main);
            assertThat(rig.pushesSent()).isZero();
            assertThat(rig.leavesNothing()).isTrue();
            rig.door.diskFull = _ -> false;
            assertThat(rig.push("HEAD:agent/y").exit()).as("with room again").isZero();
        }
    }

    /// git asks with a probe first, and then sends it in pieces.
    @Test
    void aLargePushThatTheRecordHasNoRoomForIsToldSo() throws Exception {
        try (BoundaryRig rig = BoundaryRig.standard(dir)) {
            rig.commit("noise.txt", noise());
            rig.door.diskFull = line("git.request", "call");

            Command.Result push = rig.push("HEAD:agent/x");

            requireTold(push);
            assertThat(push.all()).contains("remote rejected", "disk-full");
            assertThat(rig.pushesSent()).isZero();
        }
    }

    /// It is on its way when its result is recorded; to say that nothing was done would be false.
    @Test
    void aPushWhoseResultTheRecordHasNoRoomForHasHappened() throws Exception {
        try (BoundaryRig rig = BoundaryRig.standard(dir)) {
            rig.commit("x.txt", "x");
            rig.door.diskFull = line("git.push-result", "");
            assertThat(rig.push("HEAD:agent/x").exit()).isZero();
            assertThat(rig.upstream("refs/heads/agent/x")).isNotEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "git.request, advertise, AUTO",
        "git.request, call, AUTO",
        "git.request, call, OFF",
        "git.copy, '', ON"
    })
    void aFetchThatTheRecordHasNoRoomForIsToldSo(String kind, String phase, MirrorUse use)
            throws Exception {
        try (BoundaryRig rig = BoundaryRig.mirrored(dir, RefVisibility.all(), use)) {
            rig.door.diskFull = line(kind, phase);
            requireTold(Git.run(dir, "clone", rig.door.url("acme/app"), "again"));
        }
    }

    private static void mount(Path place) {
        String options = "size=64k,mode=0700";
        Command.of("mount", "-t", "tmpfs", "-o", options, "none", place.toString()).run().ok();
    }

    private static void unmount(Path place) {
        Command.of("umount", "-l", place.toString()).run().ok();
    }

    /// git-lfs prints the message of such an answer, and nothing of one in plain text.
    @ParameterizedTest
    @ValueSource(strings = {"upload", "download"})
    void aLargeFileThatTheRecordHasNoRoomForIsToldSo(String verb) throws Exception {
        try (LfsRig rig = new LfsRig(dir, Access.WRITE, LfsRig.write())) {
            byte[] content = LfsRig.bytes("large");
            String oid = LfsRig.oid(content);
            String place = rig.href(rig.batch("upload", oid, content.length), "upload");
            if (verb.equals("download")) {
                assertThat(rig.put(place, content).statusCode()).isEqualTo(200);
                place = rig.href(rig.batch(verb, oid, content.length), verb);
            }
            rig.boundary.door.diskFull = line("lfs." + verb, "");
            HttpRequest.Builder get = HttpRequest.newBuilder(URI.create(place));

            HttpResponse<String> answer =
                    verb.equals("upload") ? rig.put(place, content) : rig.send(get);

            assertThat(answer.statusCode()).isEqualTo(503);
            assertThat(answer.body()).contains("\"message\"", SENTENCE);
        }
    }

    private static Predicate<AuditEvent> line(String kind, String phase) {
        return event ->
                event.kind().equals(kind) && event.detail().getOrDefault("phase", "").equals(phase);
    }

    private static void requireTold(Command.Result git) {
        assertThat(git.exit()).isNotZero();
        assertThat(git.all().replaceAll("\\s+(remote: +)?", " ")).contains(SENTENCE);
    }

    private static String noise() {
        byte[] noise = new byte[1 << 20];
        new Random(1).nextBytes(noise);
        return HexFormat.of().formatHex(noise);
    }
}

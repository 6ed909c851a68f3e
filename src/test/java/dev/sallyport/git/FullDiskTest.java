package dev.sallyport.git;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Command;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A full disk is called that in git's own output, and the push goes nowhere.
class FullDiskTest {
    private static final String SENTENCE = "the disk of the machine that runs this sandbox is full";

    @TempDir Path dir;

    @Test
    void aPackThatTheDiskDoesNotTakeIsDeniedInGitsReport() throws Exception {
        try (BoundaryRig rig = BoundaryRig.standard(dir)) {
            byte[] noise = new byte[1 << 20];
            new Random(1).nextBytes(noise);
            rig.commit("noise.txt", HexFormat.of().formatHex(noise));
            Path work = rig.door.work();
            Files.createDirectories(work);
            Command.of("mount", "-t", "tmpfs", "-o", "size=64k", "none", work.toString())
                    .run()
                    .ok();
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
                Command.of("umount", "-l", work.toString()).run().ok();
            }
            assertThat(rig.push("HEAD:agent/x").exit()).as("with room again").isZero();
        }
    }

    @Test
    void aRecordThatTheDiskDoesNotTakeIsToldToo() throws Exception {
        try (BoundaryRig rig = BoundaryRig.standard(dir)) {
            rig.door.diskFull = true;
            Command.Result fetch = Git.run(rig.work, "ls-remote", "origin");
            assertThat(fetch.exit()).isNotZero();
            assertThat(fetch.all()).contains(SENTENCE);
        }
    }
}

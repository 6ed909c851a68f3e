package dev.sallyport.git;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Await;
import dev.sallyport.policy.MirrorUse;
import dev.sallyport.policy.RefVisibility;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Sandboxes that ask for packs and do not take them.
final class CopyFetchRoomTest {
    private static final int FILE_BYTES = 24 << 20;

    @TempDir Path dir;

    @Test
    void whoTakesNothingHoldsOnlyPlacesOfItsOwn() throws Exception {
        try (BoundaryRig rig = BoundaryRig.mirrored(dir, RefVisibility.all(), MirrorUse.ON)) {
            addLargeFile(rig);
            String body =
                    CopyFetchTest.want(rig.upstream("refs/heads/main"))
                            + "0000"
                            + CopyFetchTest.packet("done");
            rig.door.events.clear();
            List<Socket> idle = new ArrayList<>();
            try {
                for (int i = 0; i < CopyFetches.PLACES_PER_SANDBOX_MAX; i++) {
                    idle.add(ask(rig, body));
                }
                awaitCopies(rig, CopyFetches.PLACES_PER_SANDBOX_MAX);
                Git.ok(dir, "clone", "-q", rig.door.url("acme/app"), "own");
                assertThat(rig.door.recorded("git.copy"))
                        .as("relayed")
                        .hasSize(CopyFetches.PLACES_PER_SANDBOX_MAX);
                Git.ok(dir, "clone", "-q", rig.door.urlOfAnother("acme/app"), "others");
                assertThat(rig.door.recorded("git.copy"))
                        .hasSize(CopyFetches.PLACES_PER_SANDBOX_MAX + 1);
            } finally {
                for (Socket socket : idle) {
                    socket.close();
                }
            }
            awaitPlace(rig);
        }
    }

    private static void addLargeFile(BoundaryRig rig) throws IOException {
        byte[] noise = new byte[FILE_BYTES];
        new Random(1).nextBytes(noise);
        Path seed = rig.dir.resolve("seed");
        Git.ok(seed, "checkout", "-q", "main");
        Files.write(seed.resolve("noise"), noise);
        Git.ok(seed, "add", "noise");
        Git.ok(seed, "commit", "-q", "-m", "noise");
        Git.ok(seed, "push", "-q", rig.bare.toString(), "HEAD:main");
    }

    private static Socket ask(BoundaryRig rig, String body) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), rig.door.port());
        socket.getOutputStream()
                .write(CopyFetchTest.request(body).getBytes(StandardCharsets.ISO_8859_1));
        return socket;
    }

    private static void awaitCopies(BoundaryRig rig, int count) throws InterruptedException {
        Await.until(() -> rig.door.recorded("git.copy").size() >= count);
        assertThat(rig.door.recorded("git.copy")).hasSize(count);
    }

    /// The places of those who left are free again, soon.
    private void awaitPlace(BoundaryRig rig) throws InterruptedException {
        int before = rig.door.recorded("git.copy").size();
        for (int i = 0; i < 100 && rig.door.recorded("git.copy").size() == before; i++) {
            Git.ok(dir, "clone", "-q", "--depth=1", rig.door.url("acme/app"), "again" + i);
        }
        assertThat(rig.door.recorded("git.copy")).hasSizeGreaterThan(before);
    }
}

package dev.sallyport.git;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Command;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A pack is read while it arrives, and nobody has to wait for who sends it slowly.
final class EarlyReadingTest {
    private static final int FILES = 8;
    private static final int FILE_BYTES = 500_000;

    @TempDir Path dir;
    private BoundaryRig rig;
    private final Semaphore scanned = new Semaphore(0);
    private byte[] pack = {};
    private String tip = "";

    @BeforeEach
    void start() throws Exception {
        rig = BoundaryRig.standard(dir);
        rig.door.finder =
                content -> {
                    if (content.readAllBytes().length == FILE_BYTES) {
                        scanned.release();
                    }
                    return List.of();
                };
        for (int i = 0; i < FILES; i++) {
            byte[] content = new byte[FILE_BYTES];
            new Random(i).nextBytes(content);
            Files.write(rig.work.resolve("large" + i), content);
        }
        rig.commit("x", "x");
        tip = Git.ok(rig.work, "rev-parse", "HEAD");
        Path file = dir.resolve("pack");
        Command.of("bash", "-c", "git pack-objects --revs --stdout -q > " + file)
                .in(rig.work)
                .input(tip + "\n^" + Git.ok(rig.work, "rev-parse", "HEAD~1") + "\n")
                .run()
                .ok();
        pack = Files.readAllBytes(file);
    }

    @AfterEach
    void stop() {
        rig.close();
    }

    /// A sandbox in the middle of its push.
    private final class Sender implements AutoCloseable {
        private final Socket socket;
        private final int sent = 2 * pack.length / 3;

        Sender(String url, String ref) throws Exception {
            URI uri = URI.create(url);
            ByteArrayOutputStream request = new ByteArrayOutputStream();
            String line = "0".repeat(40) + " " + tip + " " + ref + "\0 report-status";
            String list = "%04x%s0000".formatted(line.length() + 4, line);
            String path = uri.getPath() + "/git-receive-pack";
            String head =
                    RawClient.post(path, "application/x-git-receive-pack-request", "")
                            .replace(
                                    "Content-Length: 0",
                                    "Content-Length: " + (list.length() + pack.length));
            request.writeBytes(head.getBytes(StandardCharsets.US_ASCII));
            request.writeBytes(list.getBytes(StandardCharsets.US_ASCII));
            request.writeBytes(Arrays.copyOf(pack, sent));
            socket = new Socket(InetAddress.getLoopbackAddress(), uri.getPort());
            socket.setSoTimeout(120_000);
            socket.getOutputStream().write(request.toByteArray());
        }

        String finish() throws Exception {
            OutputStream out = socket.getOutputStream();
            out.write(pack, sent, pack.length - sent);
            out.flush();
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    private void awaitScans(int count) throws Exception {
        assertThat(scanned.tryAcquire(count, 120, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void everyFileIsScannedOnceAndSomeBeforeThePackIsComplete() throws Exception {
        try (Sender sender = new Sender(rig.door.url("acme/app"), "refs/heads/agent/x")) {
            awaitScans(2);
            assertThat(rig.pushesSent()).isZero();
            assertThat(sender.finish()).contains("unpack ok", "ok refs/heads/agent/x");
        }
        awaitScans(FILES - 2);
        assertThat(scanned.availablePermits()).isZero();
        assertThat(rig.upstream("refs/heads/agent/x")).isEqualTo(tip);
        assertThat(rig.leavesNothing()).isTrue();
    }

    /// More slow senders than there are places and seats.
    @Test
    void p10SlowSendersKeepNobodyFromBeingJudged() throws Exception {
        List<Sender> slow = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            slow.add(new Sender(rig.door.urlOfAnother("acme/app"), "refs/heads/agent/slow" + i));
        }
        awaitScans(4);
        // Also one that sends two pushes at a time is judged while the first is slow.
        slow.add(new Sender(rig.door.url("acme/app"), "refs/heads/agent/slow5"));

        Git.ok(rig.work, "checkout", "-q", "-b", "bystander", "HEAD~1");
        rig.commit("y", "small");
        rig.push("HEAD:agent/bystander").ok();
        assertThat(rig.upstreamRefs()).noneMatch(ref -> ref.contains("slow"));

        for (Sender sender : slow) {
            assertThat(sender.finish()).contains("unpack ok");
            sender.close();
        }
        assertThat(rig.upstreamRefs()).filteredOn(ref -> ref.contains("slow")).hasSize(6);
        assertThat(rig.leavesNothing()).isTrue();
    }

    @Test
    void aSenderThatGoesAwayLeavesNothingAndItsSeatIsFree() throws Exception {
        for (int i = 0; i < 4; i++) {
            try (Sender _ = new Sender(rig.door.url("acme/app"), "refs/heads/agent/x")) {
                awaitScans(2);
            }
            assertThat(rig.leavesNothing()).isTrue();
            scanned.drainPermits();
        }
        assertThat(rig.pushesSent()).isZero();
        assertThat(rig.upstream("refs/heads/agent/x")).isEmpty();
    }
}

package dev.sallyport.egress;

import static dev.sallyport.egress.EgressRig.HOST;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.config.Limits;
import dev.sallyport.fixture.Await;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// What goes through a tunnel, how much of it, for how long, and what ends it.
final class TunnelTest {
    private static final byte[] HELLO = Hellos.of(HOST.value());

    private TcpUpstream upstream;
    private EgressRig rig;

    @BeforeEach
    void open() throws IOException {
        upstream = new TcpUpstream(Answers::echo);
        rig = new EgressRig(Limits.standard(), EgressRig.rule(HOST.value(), upstream.dial(), 443));
    }

    private void start(TcpUpstream.Script script) throws IOException {
        start(Limits.standard().egress(), script);
    }

    private void start(Limits.Egress egress, TcpUpstream.Script script) throws IOException {
        close();
        upstream = new TcpUpstream(script);
        rig =
                new EgressRig(
                        EgressRig.limits(egress),
                        EgressRig.rule(HOST.value(), upstream.dial(), 443));
    }

    @AfterEach
    void close() throws IOException {
        rig.close();
        upstream.close();
    }

    /// A tunnel that the host has answered.
    private RawSocket opened() throws IOException {
        RawSocket client = rig.secure().send(HELLO);
        assertThat(client.take(Answers.SERVER_HELLO.length)).isEqualTo(Answers.SERVER_HELLO);
        return client;
    }

    private static void answer(TcpUpstream.Peer peer) throws IOException {
        Answers.hello(peer);
        peer.say(Answers.SERVER_HELLO);
    }

    private static byte[] random(int bytes, int seed) {
        byte[] random = new byte[bytes];
        new Random(seed).nextBytes(random);
        return random;
    }

    private void assertEnded(String why) throws InterruptedException {
        Await.until("the end", () -> !rig.recorded("egress.end").isEmpty());
        assertThat(rig.details("egress.end", "why")).containsExactly(why);
    }

    @Test
    void carriesManyBytesUnchangedInBothDirectionsAtOnce() throws Exception {
        byte[] up = random(16 << 20, 1);
        byte[] down = random(16 << 20, 2);
        start(
                peer -> {
                    answer(peer);
                    Thread sending =
                            Thread.ofVirtual()
                                    .start(
                                            () -> {
                                                try {
                                                    peer.say(down);
                                                } catch (IOException e) {
                                                    throw new UncheckedIOException(e);
                                                }
                                            });
                    peer.take(up.length);
                    join(sending);
                });
        try (RawSocket client = opened()) {
            CompletableFuture<byte[]> received =
                    CompletableFuture.supplyAsync(() -> take(client, down.length));
            client.send(up);
            assertThat(received.join()).isEqualTo(down);
            Await.until(
                    "all arrived", () -> upstream.received(0).length == HELLO.length + up.length);
        }
        assertThat(upstream.received(0)).isEqualTo(Hellos.joined(HELLO, up));
        assertEnded("closed");
        assertThat(rig.total().bytesUp()).isEqualTo(HELLO.length + up.length);
        assertThat(rig.total().bytesDown()).isEqualTo(Answers.SERVER_HELLO.length + down.length);
    }

    private static void join(Thread thread) throws IOException {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    private static byte[] take(RawSocket client, int count) {
        try {
            return client.take(count);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// A copy of each piece on the heap would be as much as there is to carry.
    @Test
    void bytesPassWithoutBeingCopiedToTheHeap() throws Exception {
        byte[] down = random(16 << 20, 5);
        start(
                peer -> {
                    answer(peer);
                    peer.say(down);
                    peer.take(1);
                    peer.say(down);
                });
        try (RawSocket client = opened()) {
            assertThat(client.take(down.length)).isEqualTo(down);
            long before = rig.allocatedBytes();
            client.send(new byte[1]);
            assertThat(client.take(down.length)).isEqualTo(down);
            assertThat(rig.allocatedBytes() - before)
                    .as("garbage of carrying %d bytes", down.length)
                    .isLessThan(down.length / 4);
        }
    }

    /// Only what comes first in each read is copied, and the loopback delivers far more at a time.
    @Test
    void mostOfADownloadIsNeverCopiedIntoThisProcess() throws Exception {
        byte[] down = random(16 << 20, 8);
        start(
                peer -> {
                    answer(peer);
                    peer.say(down);
                    peer.takeAll();
                });
        try (RawSocket client = opened()) {
            assertThat(client.take(down.length)).isEqualTo(down);
            assertThat(rig.copied.get()).isLessThan(down.length / 2);
        }
        assertEnded("closed");
        assertThat(rig.total().bytesDown()).isEqualTo(Answers.SERVER_HELLO.length + down.length);
    }

    @Test
    void noPipeOutlivesItsTunnel() throws Exception {
        long before = pipes();
        byte[] down = random(4 << 20, 9);
        start(
                peer -> {
                    answer(peer);
                    peer.say(down);
                    peer.takeAll();
                });
        try (RawSocket client = opened()) {
            assertThat(client.take(down.length / 2)).hasSize(down.length / 2);
            assertThat(pipes()).isGreaterThan(before);
        }
        Await.until("all pipes are closed", () -> pipes() <= before);
    }

    private static long pipes() {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return open.filter(TunnelTest::isPipe).count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isPipe(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString().startsWith("pipe:");
        } catch (IOException _) {
            return false;
        }
    }

    @Test
    void goesOnInOneDirectionWhenTheSandboxHasSaidAll() throws Exception {
        byte[] late = random(1 << 20, 3);
        start(
                peer -> {
                    answer(peer);
                    peer.takeAll();
                    peer.say(late);
                });
        try (RawSocket client = opened()) {
            client.send("last words");
            client.socket().shutdownOutput();
            assertThat(client.rest()).isEqualTo(late);
        }
        assertThat(upstream.received(0)).endsWith("last words".getBytes(StandardCharsets.US_ASCII));
        assertEnded("closed");
    }

    @Test
    void goesOnInOneDirectionWhenTheHostHasSaidAll() throws Exception {
        byte[] late = random(1 << 20, 4);
        start(
                peer -> {
                    answer(peer);
                    peer.socket().shutdownOutput();
                    peer.takeAll();
                });
        try (RawSocket client = opened()) {
            assertThat(client.rest()).isEmpty();
            client.send(late);
            client.socket().shutdownOutput();
            assertEnded("closed");
        }
        byte[] all = Hellos.joined(HELLO, late);
        // The host may still be reading what the kernel holds for it.
        Await.until("all of it", () -> upstream.received(0).length >= all.length);
        assertThat(upstream.received(0)).isEqualTo(all);
    }

    @Test
    void deliversWhatAHostSaidBeforeItHungUp() throws Exception {
        byte[] last = random(4 << 20, 5);
        start(
                peer -> {
                    answer(peer);
                    peer.say(last);
                });
        try (RawSocket client = opened()) {
            Await.until("the host is gone", () -> upstream.connections() == 1);
            assertThat(client.rest()).isEqualTo(last);
        }
        assertEnded("closed");
    }

    @Test
    void p10_readsNothingFromAHostThatTheSandboxDoesNotTake() throws Exception {
        AtomicLong sent = new AtomicLong();
        start(
                peer -> {
                    answer(peer);
                    byte[] piece = new byte[65_536];
                    OutputStream out = peer.socket().getOutputStream();
                    while (sent.get() < 1L << 30) {
                        out.write(piece);
                        sent.addAndGet(piece.length);
                    }
                });
        try (RawSocket client = opened()) {
            long before = stalled(sent);
            assertThat(before).as("what the kernel's and our buffers hold").isLessThan(64L << 20);
            assertThat(client.take(8 << 20)).hasSize(8 << 20);
            Await.until("it goes on", () -> sent.get() > before);
        }
    }

    /// Its value when it has stayed the same through many rounds of the gateway, in which nothing
    /// is left to be moved.
    private long stalled(AtomicLong value) throws InterruptedException {
        long last = -1;
        for (int same = 0; same < 20; same++) {
            if (value.get() != last) {
                last = value.get();
                same = 0;
            }
            rig.drain();
            Thread.sleep(50);
        }
        return last;
    }

    @Test
    void s25_cutsATunnelWhoseDownloadsAreUsedUp() throws Exception {
        long max = 1 << 20;
        start(
                Egresses.standardBut(e -> e.bytesDown(max)),
                peer -> {
                    answer(peer);
                    peer.say(random(5 << 20, 6));
                    peer.takeAll();
                });
        try (RawSocket client = opened()) {
            assertThat((long) client.rest().length + Answers.SERVER_HELLO.length)
                    .isLessThanOrEqualTo(max);
        }
        assertEnded("budget-spent");
        assertThat(rig.recorded("egress.cut")).containsExactly("deny budget-spent");
        assertThat(rig.total().bytesDown()).isBetween(1L, max);
    }

    @Test
    void s25_cutsATunnelWhoseUploadsAreUsedUp() throws Exception {
        long max = 1 << 20;
        start(
                Egresses.standardBut(e -> e.bytesUp(max)),
                peer -> {
                    answer(peer);
                    peer.takeAll();
                });
        for (int connection = 0; connection < 2; connection++) {
            try (RawSocket client = rig.secure()) {
                client.send(Hellos.joined(HELLO, random(5 << 20, 7))).rest();
            } catch (SocketException _) {
                // Cut while we send.
            }
        }
        Await.until("it is cut", () -> !rig.recorded("egress.cut").isEmpty());
        assertThat(rig.recorded("egress.cut")).startsWith("deny budget-spent");
        Await.until("it arrives", () -> received() >= max / 2);
        assertThat(received()).isLessThanOrEqualTo(max);
        assertThat(rig.total().bytesUp()).isLessThanOrEqualTo(max);
    }

    private long received() {
        return (long) upstream.received(0).length + upstream.received(1).length;
    }

    @Test
    void reportsUseWhileTheTunnelIsOpen() throws Exception {
        start(Answers::echo);
        try (RawSocket client = opened()) {
            client.send("x");
            assertThat(client.take(1)).hasSize(1);
            Await.until("a report", () -> rig.total().bytesUp() == HELLO.length + 1);
            assertThat(rig.recorded("egress.end")).isEmpty();
        }
    }

    @Test
    void endsWhenNothingMoves() throws Exception {
        start(Egresses.standardBut(e -> e.idleSeconds(5)), Answers::echo);
        try (RawSocket client = opened()) {
            assertThat(client.rest()).isEmpty();
        }
        assertEnded("idle");
    }

    @Test
    void endsWhenItsTimeIsOverHoweverBusy() throws Exception {
        start(Egresses.standardBut(e -> e.tunnelSeconds(5)), Answers::echo);
        try (RawSocket client = opened()) {
            assertThat(busyUntilCut(client)).isGreaterThan(0);
        }
        assertEnded("time-limit");
    }

    private static int busyUntilCut(RawSocket client) throws IOException {
        int rounds = 0;
        try {
            while (client.send("x").take(1).length == 1) {
                rounds++;
            }
        } catch (SocketException _) {
            // Cut while we send.
        }
        return rounds;
    }
}

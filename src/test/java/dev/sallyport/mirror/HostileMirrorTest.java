package dev.sallyport.mirror;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.config.Limits;
import dev.sallyport.git.HostileUpstream;
import dev.sallyport.policy.Refusal;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// An upstream that says whatever it likes gets no further than a refusal, and leaves nothing.
final class HostileMirrorTest {
    private static final String ID = "1".repeat(40);
    private static final String CAPS = "\0side-band-64k ofs-delta object-format=sha1\n";
    private static final String SERVICE = pkt("# service=git-upload-pack\n") + "0000";
    private static final String ONE_REF = SERVICE + pkt(ID + " refs/heads/main" + CAPS) + "0000";

    @TempDir Path dir;

    private MirrorRig rig;

    @BeforeEach
    void start() throws IOException {
        rig = new MirrorRig(dir);
    }

    @AfterEach
    void stop() throws IOException {
        assertThat(rig.entries()).isEmpty();
        assertThat(rig.files(".pack")).isEmpty();
        rig.close();
    }

    private static String pkt(String payload) {
        return String.format("%04x", payload.length() + 4) + payload;
    }

    private static String answer(String kind, String body) {
        return "HTTP/1.1 200 OK\r\ncontent-type: application/x-git-upload-pack-"
                + kind
                + "\r\ncontent-length: "
                + body.length()
                + "\r\n\r\n"
                + body;
    }

    private HostileUpstream.Script saying(String advertisement, String result) {
        return (connection, head) ->
                HostileUpstream.say(
                        connection,
                        head.startsWith("GET ")
                                ? answer("advertisement", advertisement)
                                : answer("result", result));
    }

    private void refused(HostileUpstream.Script script, Refusal refusal) throws IOException {
        refused(script, MirrorRig.limits(), refusal);
    }

    private void refused(HostileUpstream.Script script, Limits.Mirror limits, Refusal refusal)
            throws IOException {
        try (HostileUpstream upstream =
                        new HostileUpstream(rig.pki().server(MirrorRig.HOST.value()), script);
                Mirrors mirrors = rig.mirrors(limits, upstream.dial())) {
            assertThatThrownBy(() -> refresh(mirrors))
                    .isInstanceOfSatisfying(
                            MirrorException.class, e -> assertThat(e.refusal()).isEqualTo(refusal));
        }
    }

    private Mirror refresh(Mirrors mirrors) throws MirrorException, InterruptedException {
        return mirrors.refresh(MirrorRig.permit("acme/app"), MirrorRig.credentials(), rig.progress);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "0000",
                "zzzz",
                "001E# service=git-upload-pack\n0000",
                "fff5",
                "0003",
                "0001",
                "001f# service=git-receive-pack\n0000",
                "001e# service=git-upload-pack\n",
                "001e# service=git-upload-pack\n00000005",
                "001e# service=git-upload-pack\n0000000b1234567"
            })
    void anAdvertisementOutOfFormIsRefused(String text) throws IOException {
        refused(saying(text, ""), Refusal.UPSTREAM_MISBEHAVED);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "I refs/heads/main\n",
                "I refs/heads/main\0multi_ack\n",
                "I refs/heads/main\0side-band-64k ofs-delta object-format=sha256\n",
                "Z refs/heads/main\0side-band-64k ofs-delta\n",
                "I refs/heads/main\0side-band-64k ofs-delta\n|I refs/heads/main\n",
                "I refs/heads/main\0side-band-64k ofs-delta\n|shallow I x\n",
                "I refs/heads/main\0side-band-64k ofs-delta\n|I\n",
                "X refs/heads/main\0side-band-64k ofs-delta\n"
            })
    void aRefLineOutOfFormIsRefused(String lines) throws IOException {
        StringBuilder text = new StringBuilder(SERVICE);
        for (String line : lines.split("\\|", -1)) {
            text.append(
                    pkt(
                            line.replace("I", ID)
                                    .replace("Z", "0".repeat(40))
                                    .replace("X", "A".repeat(40))));
        }
        refused(saying(text + "0000", ""), Refusal.UPSTREAM_MISBEHAVED);
        refused(saying(text + "0000more", ""), Refusal.UPSTREAM_MISBEHAVED);
    }

    @Test
    void moreRefsThanTheLimitAreRefused() throws IOException {
        StringBuilder text = new StringBuilder(SERVICE + pkt(ID + " refs/heads/a" + CAPS));
        for (int i = 0; i < 1_000; i++) {
            text.append(pkt(ID + " refs/heads/b" + i + "\n"));
        }
        refused(saying(text + "0000", ""), Refusal.MIRROR_UNAVAILABLE);
    }

    @Test
    void refsWithImpossibleNamesAreDropped() throws Exception {
        String text =
                SERVICE
                        + pkt(ID + " HEAD" + CAPS)
                        + pkt(ID + " refs/heads/a..b\n")
                        + pkt(ID + " refs/heads/\u0001\n")
                        + pkt(ID + " refs/heads/x.lock\n")
                        + pkt(ID + " .have\n")
                        + "0000";
        Advertised read =
                Advertised.read(
                        new java.io.ByteArrayInputStream(
                                text.getBytes(StandardCharsets.ISO_8859_1)),
                        dev.sallyport.policy.RefVisibility.all(),
                        10);
        assertThat(read.refs()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "0000",
                "0008NAK\n0000",
                "0008NAK\n0005\u0001",
                "0008XYZ\n",
                "0008NAK\n0009\u0003oops0000",
                "0008NAK\n0009\u0004oops0000",
                "000cERR oops",
                "0008NAK\n0009\u0001JUNK0000",
                "0008NAK\n000d\u0001PACK\0\0\0\u00020000"
            })
    void anAnswerWithoutAPackIsRefused(String result) throws IOException {
        refused(saying(ONE_REF, result), Refusal.UPSTREAM_MISBEHAVED);
    }

    @Test
    void anEndlessListOfAcknowledgementsIsRefused() throws IOException {
        refused(saying(ONE_REF, "0008NAK\n".repeat(2_000)), Refusal.UPSTREAM_MISBEHAVED);
    }

    @Test
    void aPackThatIsWellFormedButLacksWhatWasAskedForIsRefused() throws Exception {
        refused(saying(ONE_REF, band(pack(0, ""))), Refusal.UPSTREAM_MISBEHAVED);
    }

    /// G8: the count in a pack's header is a claim; memory is not taken on its word.
    @Test
    void aPackThatClaimsMoreObjectsThanMemoryBearsIsRefused() throws Exception {
        refused(saying(ONE_REF, band(pack(0x7fff_ffff, ""))), Refusal.MIRROR_UNAVAILABLE);
    }

    /// The same for the size of an object: here a commit of almost 2 GiB.
    @Test
    void anObjectThatClaimsMoreThanMemoryBearsIsRefused() throws Exception {
        String object = "\u009f\u00ff\u00ff\u00ff?";
        refused(saying(ONE_REF, band(pack(1, object))), Refusal.MIRROR_UNAVAILABLE);
    }

    private static String pack(int objects, String body) throws Exception {
        StringBuilder pack = new StringBuilder("PACK\0\0\0\u0002");
        for (int shift = 24; shift >= 0; shift -= 8) {
            pack.append((char) (objects >> shift & 0xFF));
        }
        pack.append(body);
        byte[] digest =
                MessageDigest.getInstance("SHA-1")
                        .digest(pack.toString().getBytes(StandardCharsets.ISO_8859_1));
        return pack + new String(digest, StandardCharsets.ISO_8859_1);
    }

    private static String band(String pack) {
        return "0008NAK\n" + pkt("\u0001" + pack) + "0000";
    }

    @Test
    void anUpstreamThatIsSilentIsLeftAtTheDeadline() throws IOException {
        Limits.Mirror hasty = new Limits.Mirror(1 << 20, 1 << 20, 100, 1);
        refused(HostileMirrorTest::stall, hasty, Refusal.UPSTREAM_TIMEOUT);
    }

    private static void stall(Socket connection, String head) throws IOException {
        connection.setSoTimeout(60_000);
        assertThat(connection.getInputStream().read()).as("hung up").isNegative();
    }

    @Test
    void anInterruptedWorkerStops() throws Exception {
        try (HostileUpstream upstream =
                        new HostileUpstream(
                                rig.pki().server(MirrorRig.HOST.value()),
                                HostileMirrorTest::stall);
                Mirrors mirrors = rig.mirrors(MirrorRig.limits(), upstream.dial())) {
            CompletableFuture<Throwable> outcome = new CompletableFuture<>();
            Thread worker =
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        try {
                                            refresh(mirrors).close();
                                        } catch (MirrorException | InterruptedException e) {
                                            outcome.complete(e);
                                        }
                                    });
            Thread.sleep(Duration.ofMillis(300));
            worker.interrupt();
            worker.join(Duration.ofMinutes(1));
            assertThat(outcome.getNow(new AssertionError("still running")))
                    .isInstanceOf(InterruptedException.class);
        }
    }

    @Test
    void aCutAnswerIsNotTakenForAWholeOne() throws IOException {
        refused(
                (connection, head) ->
                        HostileUpstream.say(
                                connection,
                                answer("advertisement", ONE_REF)
                                        .replaceAll(
                                                "(?i)content-length: \\d+", "content-length: 999")),
                Refusal.UPSTREAM_MISBEHAVED);
    }

    @Test
    void whatUpstreamSaysOnTheWayIsToldToNobody() throws IOException {
        String chatter = pkt("\u0002" + MirrorRig.TOKEN + "\n");
        refused(
                saying(ONE_REF, "0008NAK\n" + chatter.repeat(50) + "0000"),
                Refusal.UPSTREAM_MISBEHAVED);
        assertThat(rig.told).as("nothing of it counts as received").allMatch(bytes -> bytes == 0);
    }
}

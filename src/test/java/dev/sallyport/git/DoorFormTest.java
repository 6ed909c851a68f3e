package dev.sallyport.git;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.config.Limits;
import dev.sallyport.policy.Access;
import dev.sallyport.policy.PushRules;
import dev.sallyport.policy.RefVisibility;
import dev.sallyport.policy.RepoGrant;
import dev.sallyport.policy.RepoPattern;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Requests that git would not send, by hand, against an upstream that counts what arrives.
final class DoorFormTest {
    private static final String BASE = "/git/" + DoorRig.HOST + "/acme/app.git/";
    private static final String PUSH_TYPE = "application/x-git-receive-pack-request";
    private static final String FETCH_TYPE = "application/x-git-upload-pack-request";
    private static final String A = "a".repeat(40);
    private static final String B = "b".repeat(40);
    private static final String ZERO = "0".repeat(40);
    private static final String CAPS = "\0 report-status side-band-64k";
    private static final String ANSWER = "HTTP/1.1 200 OK\r\nContent-Type: ";

    private final TestPki pki = new TestPki();
    private final AtomicLong flooded = new AtomicLong();
    private HostileUpstream upstream;
    private DoorRig rig;

    @BeforeEach
    void start() throws Exception {
        upstream = new HostileUpstream(pki.server(DoorRig.HOST.value()), this::flood);
        RepoGrant grant =
                new RepoGrant(
                        RepoPattern.parse(DoorRig.HOST + "/acme/app"),
                        Access.WRITE,
                        RefVisibility.all(),
                        PushRules.standard());
        rig = new DoorRig(upstream.dial(), pki.caPem(), Limits.standard(), grant);
    }

    @AfterEach
    void stop() throws Exception {
        rig.close();
        upstream.close();
    }

    /// Sends as much as the gateway takes.
    private void flood(Socket connection, String head) throws java.io.IOException {
        HostileUpstream.say(
                connection,
                ANSWER
                        + "application/x-git-upload-pack-advertisement\r\nContent-Length: 1000000000\r\n\r\n");
        byte[] block = new byte[16_384];
        while (flooded.get() < 1_000_000_000) {
            connection.getOutputStream().write(block);
            flooded.addAndGet(block.length);
        }
    }

    private static String packets(String tail, String... lines) {
        ByteBuf out = Unpooled.buffer();
        for (String line : lines) {
            PktLine.write(out, line.getBytes(StandardCharsets.ISO_8859_1));
        }
        PktLine.writeFlush(out);
        return out.toString(StandardCharsets.ISO_8859_1) + tail;
    }

    private String push(String body) throws Exception {
        return RawClient.send(
                rig.port(), RawClient.post(BASE + "git-receive-pack", PUSH_TYPE, body));
    }

    @Test
    void g2AndG12NothingGoesUpWhenAPushIsMalformed() throws Exception {
        String command = A + " " + B + " refs/heads/agent/x";
        List<String> bodies =
                List.of(
                        "",
                        "0",
                        "PACK",
                        "0000" + "0000",
                        "0001" + packets("PACK", command + CAPS),
                        packets("", command + CAPS),
                        packets("PAC", command + CAPS),
                        packets("0000PACK....", command + CAPS),
                        packets("JUNKJUNK", command + CAPS),
                        packets("PACK", command),
                        packets("PACK", command + CAPS + " push-options"),
                        packets("PACK", "shallow " + A),
                        packets("PACK", command + CAPS, "PACK"),
                        packets("PACK", command + CAPS, command),
                        packets("PACK", ZERO + " " + ZERO + " refs/heads/agent/x" + CAPS));
        for (String body : bodies) {
            assertThat(push(body)).contains("sallyport-reason: malformed-push");
        }
        assertThat(upstream.heads()).isEmpty();
        assertThat(rig.recorded("git.push")).isEmpty();
    }

    @Test
    void anUnsizedReportIsPlainWhenNoSideBandWasAskedFor() throws Exception {
        String answer = push(packets("PACKxxxx", A + " " + B + " refs/heads/main\0report-status"));
        assertThat(answer)
                .contains("\r\n\r\n000eunpack ok\n")
                .contains("ng refs/heads/main sallyport: ref-not-allowed\n0000");
        assertThat(upstream.heads()).isEmpty();
    }

    @Test
    void refusesOtherTypesAndEncodingsWithoutDialling() throws Exception {
        List<String> requests =
                List.of(
                        RawClient.post(BASE + "git-upload-pack", PUSH_TYPE, "0000"),
                        RawClient.post(BASE + "git-receive-pack", FETCH_TYPE, "0000"),
                        RawClient.post(BASE + "git-upload-pack", "text/plain", "0000"),
                        RawClient.post(BASE + "git-upload-pack", FETCH_TYPE + "; a=b", "0000"),
                        RawClient.post(
                                BASE + "git-receive-pack",
                                PUSH_TYPE + "\r\nContent-Encoding: gzip",
                                "0000"),
                        RawClient.post(
                                BASE + "git-upload-pack",
                                FETCH_TYPE + "\r\nContent-Encoding: deflate",
                                "0000"));
        for (String request : requests) {
            assertThat(RawClient.send(rig.port(), request))
                    .contains("sallyport-reason: bad-request");
        }
        assertThat(upstream.heads()).isEmpty();
    }

    @Test
    void refusesABodyThatSaysItIsTooLarge() throws Exception {
        String request =
                RawClient.post(BASE + "git-upload-pack", FETCH_TYPE, "")
                        .replace("Content-Length: 0", "Content-Length: 99999999999");
        assertThat(RawClient.send(rig.port(), request))
                .contains("sallyport-reason: body-too-large");
        assertThat(upstream.heads()).isEmpty();
    }

    @Test
    void explainsLfsOnlyForARepositoryThatIsGranted() throws Exception {
        String type = "application/vnd.git-lfs+json";
        assertThat(
                        RawClient.send(
                                rig.port(),
                                RawClient.post(BASE + "info/lfs/objects/batch", type, "{}")))
                .startsWith("HTTP/1.1 403")
                .contains("sallyport-reason: lfs-not-allowed");
        assertThat(
                        RawClient.send(
                                rig.port(),
                                RawClient.post(
                                        BASE.replace("app", "other") + "info/lfs/objects/batch",
                                        type,
                                        "{}")))
                .contains("sallyport-reason: repo-unavailable");
        assertThat(upstream.heads()).isEmpty();
    }

    @Test
    void p10ASandboxThatDoesNotReadHoldsUpstreamBackInsteadOfFillingMemory() throws Exception {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), rig.port())) {
            socket.getOutputStream()
                    .write(
                            RawClient.get(BASE + "info/refs?service=git-upload-pack")
                                    .getBytes(StandardCharsets.US_ASCII));
            InputStream in = socket.getInputStream();
            assertThat(in.read()).isEqualTo('H');
            long stalledAt = -1;
            while (stalledAt != flooded.get()) {
                stalledAt = flooded.get();
                assertThat(stalledAt).isLessThan(32L << 20);
                Thread.sleep(1_000);
            }

            in.skipNBytes(64L << 20);
            assertThat(flooded.get()).isGreaterThan(stalledAt);
        }
    }
}

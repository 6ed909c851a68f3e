package dev.sallyport.egress;

import static dev.sallyport.egress.Http2Peer.DATA;
import static dev.sallyport.egress.Http2Peer.END_STREAM;
import static dev.sallyport.egress.Http2Peer.GOAWAY;
import static dev.sallyport.egress.Http2Peer.HEADERS;
import static dev.sallyport.egress.Http2Peer.PING;
import static dev.sallyport.egress.Http2Peer.WINDOW_UPDATE;
import static dev.sallyport.egress.Http2Rig.OK;
import static dev.sallyport.egress.Http2Rig.asked;
import static dev.sallyport.egress.Http2Rig.until;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Await;
import dev.sallyport.policy.Injection.Place;
import dev.sallyport.policy.MalformedNameException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/// HTTP/2 on both sides of the web door: what gRPC needs, and no more in memory than that.
final class Http2HostTest {
    private static final String[] GRPC = {"content-type: application/grpc", "te: trailers"};
    private static final int WINDOW_BYTES = 256 * 1_024;
    private static final int PIECE_BYTES = 16_384;

    /// What the gateway holds besides the host's window: the windows and send buffers of the
    /// sandbox's side.
    private static final long BETWEEN_BYTES = 1 << 20;

    private static final int SMALL_BYTES = 64;
    private static final int UPLOADS = 100;
    private static final ScriptedHost.Http2Script HELLO =
            peer -> {
                while (true) {
                    peer.head();
                    peer.answer(0, OK, "content-type: text/plain");
                    peer.say("hello", END_STREAM);
                }
            };

    @Test
    void aHostIsAskedInHttp2AndItsConnectionServesTheNextRequest() throws Exception {
        List<List<String>> heads = new CopyOnWriteArrayList<>();
        try (Http2Rig rig =
                Http2Rig.of(
                        peer -> {
                            while (true) {
                                Http2Peer.Frame head = peer.head();
                                heads.add(head.fields());
                                peer.answer(0, OK, "content-length: 2");
                                peer.say("ok", END_STREAM);
                            }
                        })) {
            Http2Peer client = rig.client();
            for (int stream = 1; stream < 6; stream += 2) {
                client.head(stream, END_STREAM, asked("GET", "x-mine: 1", "cookie: mine"));
                assertThat(client.rest(stream)).contains(OK, "content-length: 2", "ok");
            }
            assertThat(rig.host.peers).hasSize(1);
            assertThat(heads)
                    .hasSize(3)
                    .allSatisfy(
                            head ->
                                    assertThat(head)
                                            .containsExactlyInAnyOrder(asked("GET", "x-mine: 1")));
        }
    }

    /// A host is asked in what the client speaks, and offered nothing else.
    @Test
    void aHostWithoutHttp2IsAskedInHttp11() throws Exception {
        try (Http2Rig rig = Http2Rig.old(ScriptedHost.answering(ScriptedHost.ok("hello")))) {
            assertThat(rig.get()).contains(OK, "hello");
            assertThat(rig.host.heads()).singleElement().asString().startsWith("GET /pkg.Service");
        }
    }

    @Test
    void trailersPassInBothDirections() throws Exception {
        List<List<String>> arrived = new CopyOnWriteArrayList<>();
        try (Http2Rig rig =
                Http2Rig.of(
                        peer -> {
                            arrived.add(peer.head().fields());
                            arrived.add(peer.rest());
                            peer.answer(0, OK, "content-type: application/grpc");
                            peer.say("answer", 0);
                            peer.answer(END_STREAM, "grpc-status: 0", "grpc-message: fine");
                            peer.drain();
                        })) {
            Http2Peer client = rig.client();
            client.head(1, 0, asked("POST", GRPC));
            client.data(1, "question", 0);
            client.head(1, END_STREAM, "x-sum: 7", "x-api-key: mine", "x-http-method: DELETE");
            assertThat(client.head().fields()).contains(OK, "content-type: application/grpc");
            assertThat(client.rest(1))
                    .containsExactly("answer", "grpc-status: 0", "grpc-message: fine");
            assertThat(arrived.get(0)).contains("te: trailers");
            assertThat(arrived.get(1)).containsExactly("question", "x-sum: 7");
        }
    }

    /// The secret is in the head and nowhere else, whatever the sandbox puts after its body.
    @Test
    void aSecretIsNeverInTrailers() throws Exception {
        List<List<String>> arrived = new CopyOnWriteArrayList<>();
        try (Http2Rig rig =
                Http2Rig.of(
                        rule -> rule.inject(new Place.Header("x-own")),
                        peer -> {
                            arrived.add(peer.head().fields());
                            arrived.add(peer.rest());
                            peer.answer(END_STREAM, OK);
                            peer.drain();
                        })) {
            Http2Peer client = rig.client();
            client.head(1, 0, asked("POST", "grpc-accept-encoding: gzip"));
            client.head(1, END_STREAM, "x-own: mine", "x-sum: 7");
            assertThat(client.rest(1)).contains(OK);
            assertThat(arrived.get(0))
                    .contains("x-own: " + WebRig.SECRET, "grpc-accept-encoding: identity");
            assertThat(arrived.get(1)).containsExactly("x-sum: 7");
        }
    }

    /// Clients of gRPC take an error that is a head and nothing else only as one frame.
    @Test
    void anAnswerThatIsAHeadOnlyIsOneFrame() throws Exception {
        try (Http2Rig rig =
                Http2Rig.of(
                        peer -> {
                            peer.head();
                            peer.answer(
                                    END_STREAM,
                                    OK,
                                    "content-type: application/grpc",
                                    "grpc-status: 12");
                            peer.drain();
                        })) {
            Http2Peer client = rig.client();
            client.head(1, 0, asked("POST", GRPC));
            Http2Peer.Frame head = client.next();
            assertThat(head.fields()).contains("grpc-status: 12");
            assertThat(head.ends()).isTrue();
        }
    }

    /// Each side waits for the other's last message before it says its next.
    @Test
    void bothDirectionsFlowAtOnce() throws Exception {
        try (Http2Rig rig =
                Http2Rig.of(
                        rule -> rule.inject(new Place.Bearer()),
                        peer -> {
                            peer.head();
                            peer.answer(0, OK, "content-type: application/grpc");
                            Http2Peer.Frame said = peer.next();
                            while (!said.ends()) {
                                // The last letter is the first of the secret's.
                                peer.say(said.text() + WebRig.SECRET.charAt(0), 0);
                                said = peer.next();
                            }
                            peer.answer(END_STREAM, "grpc-status: 0");
                            peer.drain();
                        })) {
            Http2Peer client = rig.client();
            client.head(1, 0, asked("POST", GRPC));
            assertThat(client.next().fields()).contains(OK);
            for (int i = 0; i < 20; i++) {
                client.data(1, "ping " + i, 0);
                assertThat(client.next().text()).isEqualTo("ping " + i + "s");
            }
            client.data(1, "", END_STREAM);
            assertThat(client.rest(1)).containsExactly("grpc-status: 0");
        }
    }

    /// The sandbox takes nothing: what its host may send is a window's worth, in however small
    /// frames, and the request still flows.
    @Test
    void aSlowSandboxHoldsItsHostBack() throws Exception {
        AtomicLong sent = new AtomicLong();
        AtomicLong uploaded = new AtomicLong();
        try (Http2Rig rig =
                Http2Rig.of(
                        peer -> {
                            peer.head();
                            peer.answer(0, OK, "content-type: application/grpc");
                            long allowed = WINDOW_BYTES;
                            while (uploaded.get() < UPLOADS) {
                                if (sent.get() + SMALL_BYTES <= allowed) {
                                    peer.say("x".repeat(SMALL_BYTES), 0);
                                    sent.addAndGet(SMALL_BYTES);
                                    continue;
                                }
                                Http2Peer.Frame frame = peer.any();
                                if (frame.type() == WINDOW_UPDATE && frame.stream() != 0) {
                                    allowed += frame.number();
                                } else if (frame.type() == DATA) {
                                    uploaded.incrementAndGet();
                                }
                            }
                            peer.drain();
                        })) {
            Http2Peer client = rig.client(4, 1_000);
            client.head(1, 0, asked("POST", GRPC));
            assertThat(client.next().type()).isEqualTo(HEADERS);
            while (uploaded.get() < UPLOADS) {
                client.data(1, "up", 0);
                var _ = given(client);
            }
            assertThat(sent.get()).isGreaterThanOrEqualTo(WINDOW_BYTES).isLessThan(BETWEEN_BYTES);
        }
    }

    /// The host takes nothing: the sandbox may send no more than the gateway has windows for.
    @Test
    void aSlowHostHoldsItsSandboxBack() throws Exception {
        CountDownLatch seen = new CountDownLatch(1);
        try (Http2Rig rig =
                Http2Rig.of(
                        peer -> {
                            peer.head();
                            until(seen);
                            peer.number(WINDOW_UPDATE, 0, 1 << 30);
                            peer.number(WINDOW_UPDATE, peer.stream(), 1 << 30);
                            peer.rest();
                            peer.answer(END_STREAM, OK);
                            peer.drain();
                        },
                        4,
                        0)) {
            Http2Peer client = rig.client();
            client.head(1, 0, asked("POST", GRPC));
            long allowed = 65_535;
            long sent = 0;
            for (int i = 0; i < 50; i++) {
                for (; sent + PIECE_BYTES <= allowed; sent += PIECE_BYTES) {
                    client.data(1, "x".repeat(PIECE_BYTES), 0);
                }
                allowed += given(client);
            }
            assertThat(sent).isLessThan(BETWEEN_BYTES);
            seen.countDown();
            client.data(1, "", END_STREAM);
            assertThat(client.rest(1)).contains(OK);
        }
    }

    /// What the gateway gives back until it has read all that was said so far.
    private static long given(Http2Peer client) throws Exception {
        client.frame(PING, 0, 0, new byte[8]);
        long given = 0;
        Http2Peer.Frame frame = client.any();
        while (frame.type() != PING) {
            boolean more = frame.type() == WINDOW_UPDATE && frame.stream() == 1;
            given += more ? frame.number() : 0;
            frame = client.any();
        }
        return given;
    }

    @Test
    void largeBodiesPassInBothDirections() throws Exception {
        int pieces = 512;
        try (Http2Rig rig =
                Http2Rig.of(
                        peer -> {
                            peer.head();
                            peer.number(WINDOW_UPDATE, 0, 1 << 30);
                            peer.number(WINDOW_UPDATE, peer.stream(), 1 << 30);
                            long bytes = peer.rest().stream().mapToLong(String::length).sum();
                            peer.answer(0, OK, "content-length: " + bytes);
                            long allowed = WINDOW_BYTES;
                            for (long sent = 0; sent < bytes; sent += PIECE_BYTES) {
                                while (sent + PIECE_BYTES > allowed) {
                                    Http2Peer.Frame frame = peer.any();
                                    boolean more = frame.type() == WINDOW_UPDATE;
                                    allowed += more && frame.stream() != 0 ? frame.number() : 0;
                                }
                                peer.say("x".repeat(PIECE_BYTES), 0);
                            }
                            peer.say("", END_STREAM);
                            peer.drain();
                        })) {
            Http2Peer client = rig.client(4, 1 << 30);
            client.number(WINDOW_UPDATE, 0, 1 << 30);
            client.head(1, 0, asked("POST"));
            long allowed = 65_535;
            for (long sent = 0; sent < (long) pieces * PIECE_BYTES; sent += PIECE_BYTES) {
                while (sent + PIECE_BYTES > allowed) {
                    Http2Peer.Frame frame = client.any();
                    boolean more = frame.type() == WINDOW_UPDATE;
                    allowed += more && frame.stream() == 1 ? frame.number() : 0;
                }
                client.data(1, "x".repeat(PIECE_BYTES), 0);
            }
            client.data(1, "", END_STREAM);
            assertThat(client.head().fields()).contains("content-length: " + pieces * PIECE_BYTES);
            assertThat(client.rest(1).stream().mapToLong(String::length).sum())
                    .isEqualTo((long) pieces * PIECE_BYTES);
        }
    }

    /// What the host began it completes; the next request goes elsewhere.
    @Test
    void aHostThatLeavesCompletesItsAnswer() throws Exception {
        try (Http2Rig rig =
                Http2Rig.of(
                        peer -> {
                            peer.head();
                            peer.frame(GOAWAY, 0, 0, new byte[] {0, 0, 0, 3, 0, 0, 0, 0});
                            peer.answer(0, OK);
                            peer.say("whole", END_STREAM);
                            peer.drain();
                        })) {
            Http2Peer client = rig.client();
            client.head(1, END_STREAM, asked("GET"));
            assertThat(client.rest(1)).contains(OK, "whole");
            client.head(3, END_STREAM, asked("GET"));
            assertThat(client.rest(3)).contains(OK, "whole");
            assertThat(rig.host.peers).hasSize(2);
            assertThat(rig.web.recorded("egress.failed")).isEmpty();
        }
    }

    @Test
    void aSandboxThatGivesUpEndsTheCallUpstream() throws Exception {
        CountDownLatch gone = new CountDownLatch(1);
        try (Http2Rig rig =
                Http2Rig.of(
                        peer -> {
                            peer.head();
                            peer.answer(0, OK);
                            peer.drain();
                            gone.countDown();
                        })) {
            Http2Peer client = rig.client();
            client.head(1, END_STREAM, asked("GET"));
            assertThat(client.next().fields()).contains(OK);
            client.number(Http2Peer.RST_STREAM, 1, 8);
            Await.until(() -> gone.getCount() == 0);
        }
    }

    /// A body rule is asked before the host is.
    @Test
    void whatARuleDeniesOfABodyNeverReachesTheHost() throws Exception {
        try (Http2Rig rig =
                Http2Rig.of(
                        rule -> {
                            try {
                                return rule.jsonDenied("type=web_fetch");
                            } catch (MalformedNameException e) {
                                throw new AssertionError(e);
                            }
                        },
                        HELLO)) {
            Http2Peer client = rig.client();
            client.head(1, 0, asked("POST", "content-type: application/json"));
            client.data(1, "{\"type\":\"web_fetch\"}", END_STREAM);
            assertThat(client.rest(1)).contains("sallyport-reason: content-not-allowed");
            client.head(3, 0, asked("POST", GRPC));
            client.data(3, "\0\0\0\0\0", END_STREAM);
            assertThat(client.rest(3)).contains(":status: 403");
            assertThat(rig.host.peers).isEmpty();
        }
    }
}

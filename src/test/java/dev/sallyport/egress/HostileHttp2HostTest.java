package dev.sallyport.egress;

import static dev.sallyport.egress.Http2Peer.CONTINUATION;
import static dev.sallyport.egress.Http2Peer.DATA;
import static dev.sallyport.egress.Http2Peer.END_HEADERS;
import static dev.sallyport.egress.Http2Peer.END_STREAM;
import static dev.sallyport.egress.Http2Peer.GOAWAY;
import static dev.sallyport.egress.Http2Peer.HEADERS;
import static dev.sallyport.egress.Http2Peer.PING;
import static dev.sallyport.egress.Http2Peer.PUSH_PROMISE;
import static dev.sallyport.egress.Http2Peer.RST_STREAM;
import static dev.sallyport.egress.Http2Peer.SETTINGS;
import static dev.sallyport.egress.Http2Peer.WINDOW_UPDATE;
import static dev.sallyport.egress.Http2Rig.OK;
import static dev.sallyport.egress.Http2Rig.asked;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Await;
import dev.sallyport.policy.Injection.Place;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// P2, P5: a host that speaks HTTP/2 gets no further with what is not an answer than one that
/// speaks HTTP/1.1 ([WebAnswerTest]): the sandbox is told so or cut off, it is recorded, and
/// nothing of the host's connection is used again.
final class HostileHttp2HostTest {
    private static final int PADDING_BYTES = 40_000;
    private static final int FLOOD_FRAMES = 20_000;

    private static final Map<String, ScriptedHost.Http2Script> FAULTS = new TreeMap<>();

    static {
        heads();
        bodies();
        trailers();
        streams();
        floods();
    }

    private static void head(String name, String... fields) {
        FAULTS.put("head: " + name, peer -> peer.answer(END_STREAM, fields));
    }

    private static void heads() {
        head("no status", "a: b");
        head("two", OK, OK);
        head("status of two digits", ":status: 20");
        head("status of four digits", ":status: 2000");
        head("status with words", ":status: 200 OK");
        head("status out of range", ":status: 600");
        head("switches protocols", ":status: 101");
        head("field of a request", OK, ":path: /");
        FAULTS.put(
                "head: pseudo field late",
                peer -> {
                    peer.frame(HEADERS, END_STREAM, peer.stream(), peer.block("a: b"));
                    peer.frame(CONTINUATION, END_HEADERS, peer.stream(), peer.block(OK));
                });
        head("upper case", OK, "X-A: b");
        head("no token", OK, "a b: c");
        head("line end in a value", OK, "a: b\r\nset-cookie: c");
        head("zero in a value", OK, "a: b\0c");
        head("about a connection", OK, "connection: close");
        head("transfer coding", OK, "transfer-encoding: chunked");
        head("two lengths", OK, "content-length: 0", "content-length: 1");
        head("length is none", OK, "content-length: +0");
        head("a name too long", OK, "a".repeat(200) + ": b");
        head("too large", OK, "a: " + "b".repeat(PADDING_BYTES));
        head(
                "too many fields",
                IntStream.range(0, 300)
                        .mapToObj(i -> i == 0 ? OK : "a" + i + ": b")
                        .toArray(String[]::new));
        FAULTS.put("head: in between ends", peer -> peer.answer(END_STREAM, ":status: 103"));
        FAULTS.put(
                "head: too many in between",
                peer -> {
                    for (int i = 0; i < 20; i++) {
                        peer.answer(0, ":status: 103");
                    }
                    peer.answer(END_STREAM, OK);
                });
    }

    private static void body(String name, ScriptedHost.Http2Script script, String... fields) {
        FAULTS.put(
                "body: " + name,
                peer -> {
                    peer.answer(0, fields);
                    script.run(peer);
                });
    }

    private static void bodies() {
        FAULTS.put("body: without a head", peer -> peer.say("x", END_STREAM));
        body("too long", peer -> peer.say("xxx", END_STREAM), OK, "content-length: 2");
        body("too short", peer -> peer.say("x", END_STREAM), OK, "content-length: 2");
        body("missing", peer -> peer.say("", END_STREAM), OK, "content-length: 2");
        head("announces a body and ends", OK, "content-length: 2");
        body("of a status without", peer -> peer.say("x", END_STREAM), ":status: 204");
        body("beyond its window", HostileHttp2HostTest::overflow, OK);
        body("cut", peer -> peer.number(RST_STREAM, peer.stream(), 2), OK);
        body(
                "left behind",
                peer -> peer.frame(GOAWAY, 0, 0, new byte[] {0, 0, 0, 1, 0, 0, 0, 0}),
                OK);
    }

    private static void overflow(Http2Peer peer) throws IOException {
        for (int i = 0; i < 4_096; i++) {
            peer.say("x".repeat(16_384), 0);
        }
    }

    private static void trailer(String name, int flags, String... fields) {
        body(
                name,
                peer -> {
                    peer.say("x", 0);
                    peer.answer(flags, fields);
                    peer.say("x", END_STREAM);
                },
                OK);
    }

    private static void trailers() {
        trailer("trailers without an end", 0, "a: b");
        trailer("trailers with a status", END_STREAM, OK);
        trailer("trailers with a length", END_STREAM, "content-length: 1");
        trailer("trailers with a host", END_STREAM, "host: other.example");
        trailer("trailers about a connection", END_STREAM, "connection: close");
        trailer("trailers with a coding", END_STREAM, "transfer-encoding: chunked");
        trailer("trailers in upper case", END_STREAM, "A: b");
        trailer("trailers too large", END_STREAM, "a: " + "b".repeat(PADDING_BYTES));
        body(
                "trailers before its end",
                peer -> peer.answer(END_STREAM, "a: b"),
                OK,
                "content-length: 2");
    }

    private static void streams() {
        FAULTS.put(
                "stream: pushed",
                peer -> {
                    byte[] block = peer.block(asked("GET"));
                    byte[] promise = new byte[block.length + 4];
                    promise[3] = 2;
                    System.arraycopy(block, 0, promise, 4, block.length);
                    peer.frame(PUSH_PROMISE, END_HEADERS, peer.stream(), promise);
                    peer.answer(END_STREAM, OK);
                });
        FAULTS.put("stream: of nobody", peer -> peer.head(2, END_STREAM, OK));
        FAULTS.put("stream: to come", peer -> peer.head(peer.stream() + 2, END_STREAM, OK));
        FAULTS.put("stream: data of nobody", peer -> peer.data(1, "x", END_STREAM));
        FAULTS.put(
                "frame: too large", peer -> peer.frame(DATA, 0, peer.stream(), new byte[16_385]));
        FAULTS.put("frame: bad settings", peer -> peer.settings(4, -1));
        FAULTS.put("frame: no window", peer -> peer.number(WINDOW_UPDATE, peer.stream(), 0));
        FAULTS.put(
                "frame: a lone continuation", peer -> peer.frame(CONTINUATION, 4, 1, new byte[1]));
        FAULTS.put("frame: interrupted head", HostileHttp2HostTest::interrupted);
    }

    private static void interrupted(Http2Peer peer) throws IOException {
        peer.frame(HEADERS, 0, peer.stream(), peer.block(OK));
        peer.frame(PING, 0, 0, new byte[8]);
    }

    /// Until the gateway hangs up.
    private static void flood(String name, ScriptedHost.Http2Script one) {
        FAULTS.put(
                "flood: " + name,
                peer -> {
                    while (true) {
                        one.run(peer);
                    }
                });
    }

    private static void floods() {
        FAULTS.put(
                "flood: small continuations",
                peer -> {
                    peer.frame(HEADERS, 0, peer.stream(), peer.block(OK));
                    for (int i = 0; i < FLOOD_FRAMES; i++) {
                        peer.frame(CONTINUATION, 0, peer.stream(), new byte[0]);
                    }
                });
        FAULTS.put(
                "flood: large continuations",
                peer -> {
                    peer.frame(HEADERS, 0, peer.stream(), peer.block(OK));
                    for (int i = 0; i < FLOOD_FRAMES; i++) {
                        peer.frame(
                                CONTINUATION,
                                0,
                                peer.stream(),
                                peer.block("a" + i + ": " + "b".repeat(8_000)));
                    }
                });
        flood("resets", peer -> peer.number(RST_STREAM, peer.stream() - 2, 8));
        FAULTS.put(
                "flood: empty data",
                peer -> {
                    peer.answer(0, OK);
                    for (int i = 0; i < FLOOD_FRAMES; i++) {
                        peer.say("", 0);
                    }
                });
        flood("pings", peer -> peer.frame(PING, 0, 0, new byte[8]));
        flood("settings", peer -> peer.frame(SETTINGS, 0, 0, new byte[0]));
    }

    static List<String> faults() {
        return List.copyOf(FAULTS.keySet());
    }

    /// The host goes on as if nothing had happened, and never closes.
    @ParameterizedTest
    @MethodSource("faults")
    void e11RefusesWhatIsNoAnswer(String fault) throws Exception {
        try (Http2Rig rig =
                Http2Rig.of(
                        peer -> {
                            peer.head();
                            Objects.requireNonNull(FAULTS.get(fault)).run(peer);
                            Http2Peer.Frame never = peer.head();
                            throw new AssertionError("used again: " + never);
                        })) {
            rig.assertNoAnswer(rig.get());
            assertThat(rig.host.peers).hasSize(1);
        }
    }

    /// E12: it could be taken for something else later, so the connection is not used again.
    @ParameterizedTest
    @ValueSource(strings = {"DATA", "HEADERS", "PING"})
    void e12WhatComesAfterTheEndIsNobodys(String what) throws Exception {
        try (Http2Rig rig =
                Http2Rig.of(
                        peer -> {
                            peer.head();
                            peer.answer(0, OK);
                            peer.say("first", END_STREAM);
                            switch (what) {
                                case "DATA" -> peer.say("more", END_STREAM);
                                case "HEADERS" -> peer.answer(END_STREAM, OK);
                                default -> peer.frame(PING, 0, 0, new byte[8]);
                            }
                            peer.head();
                            peer.answer(0, OK);
                            peer.say("second", END_STREAM);
                            peer.drain();
                        })) {
            Http2Peer client = rig.client();
            client.head(1, END_STREAM, asked("GET"));
            assertThat(client.rest(1)).contains(OK, "first");
            if (!what.equals("PING")) {
                Await.until(() -> rig.host.peers.getFirst().over);
            }
            client.head(3, END_STREAM, asked("GET"));
            assertThat(client.rest(3)).contains(what.equals("PING") ? "second" : "first");
            assertThat(rig.host.peers).hasSize(what.equals("PING") ? 1 : 2);
        }
    }

    /// What belongs into a head, or is not for the sandbox, does not come in by the back door.
    @Test
    void fieldsOfHeadsAreLeftOutOfTrailers() throws Exception {
        try (Http2Rig rig =
                Http2Rig.of(
                        peer -> {
                            peer.head();
                            peer.answer(0, OK);
                            peer.answer(
                                    END_STREAM,
                                    "set-cookie: a=b",
                                    "www-authenticate: Basic",
                                    "location: https://other.example/",
                                    "content-type: text/html",
                                    "alt-svc: h3",
                                    "sallyport-reason: forged",
                                    "x-sum: 7");
                            peer.drain();
                        })) {
            assertThat(rig.get()).containsExactly(OK, "x-sum: 7");
        }
    }

    static List<ScriptedHost.Http2Script> echoes() {
        return List.of(
                peer -> peer.answer(END_STREAM, OK, "x-debug: " + WebRig.SECRET),
                peer -> {
                    peer.answer(0, OK);
                    for (char c : WebRig.SECRET.toCharArray()) {
                        peer.say(Character.toString(c), 0);
                    }
                },
                peer -> {
                    peer.answer(0, OK, "content-type: application/grpc");
                    for (char c : WebRig.SECRET.toCharArray()) {
                        peer.say(Character.toString(c), 0);
                    }
                },
                peer -> {
                    peer.answer(0, OK);
                    peer.say("body", 0);
                    peer.answer(END_STREAM, "grpc-message: bad token " + WebRig.SECRET);
                },
                peer -> {
                    peer.answer(0, OK, "grpc-encoding: gzip");
                    peer.say("what nobody can read", END_STREAM);
                },
                peer -> {
                    peer.answer(0, OK, "connect-content-encoding: gzip");
                    peer.say("what nobody can read", END_STREAM);
                });
    }

    /// P1, E14: whichever part of an answer it is in.
    @ParameterizedTest
    @MethodSource("echoes")
    void e14AnInjectedSecretDoesNotComeBack(ScriptedHost.Http2Script echo) throws Exception {
        try (Http2Rig rig =
                Http2Rig.of(
                        rule -> rule.inject(new Place.Bearer()),
                        peer -> {
                            assertThat(peer.head().fields())
                                    .contains("authorization: Bearer " + WebRig.SECRET);
                            echo.run(peer);
                            peer.drain();
                        })) {
            List<String> answer = rig.get();
            rig.assertNoAnswer(answer);
            assertThat(String.join("", answer) + rig.web.events)
                    .doesNotContain(WebRig.SECRET.substring(0, 8))
                    .doesNotContain("what nobody can read");
        }
    }

    /// A request that is not complete is not made a second time, whatever the host says.
    @Test
    void aRefusedStreamIsNotAskedAgainOnANewConnection() throws Exception {
        try (Http2Rig rig =
                Http2Rig.of(
                        peer -> {
                            peer.head();
                            peer.number(RST_STREAM, peer.stream(), 7);
                            peer.drain();
                        })) {
            Http2Peer client = rig.client();
            client.head(1, 0, asked("POST"));
            client.data(1, "once", END_STREAM);
            assertThat(client.rest(1)).contains("sallyport-reason: upstream-unreachable");
            assertThat(rig.host.peers).hasSize(1);
        }
    }
}

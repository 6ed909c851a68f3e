package dev.sallyport.egress;

import static dev.sallyport.egress.Http2Peer.DATA;
import static dev.sallyport.egress.Http2Peer.END_STREAM;
import static dev.sallyport.egress.Http2Peer.GOAWAY;
import static dev.sallyport.egress.Http2Peer.HEADERS;
import static dev.sallyport.egress.Http2Peer.RST_STREAM;
import static dev.sallyport.egress.Http2Peer.WINDOW_UPDATE;
import static dev.sallyport.egress.Http2Rig.OK;
import static dev.sallyport.egress.Http2Rig.asked;
import static dev.sallyport.egress.Http2Rig.until;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Await;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Streams that a sandbox's client has open at the same time share a connection to their host: each
/// gets its own answer, and none gets in the way of another.
final class SharedHttp2Test {
    private static final int WINDOW_BYTES = 256 * 1_024;
    private static final int PIECE_BYTES = 16_384;
    private static final int UNREAD = 6;
    private static final int LATE_FRAMES = 200;
    private static final int MAX_STREAMS = 3;
    private static final int FIRST_WINDOW = 4;

    private static String body(List<String> fields) {
        return fields.stream().filter(field -> field.startsWith("x-n: ")).findFirst().orElseThrow();
    }

    private static void ask(Http2Peer client, int stream) throws IOException {
        client.head(stream, END_STREAM, asked("GET", "x-n: " + stream));
    }

    private static void tell(Http2Peer host, Http2Peer.Frame head) throws IOException {
        host.head(head.stream(), 0, OK);
        host.data(head.stream(), body(head.fields()), END_STREAM);
    }

    /// What comes on each stream until all have ended.
    private static Map<Integer, List<String>> answers(Http2Peer client, int count)
            throws IOException {
        Map<Integer, List<String>> answers = new HashMap<>();
        for (int ended = 0; ended < count; ) {
            Http2Peer.Frame frame = client.next();
            List<String> lines = answers.computeIfAbsent(frame.stream(), _ -> new ArrayList<>());
            switch (frame.type()) {
                case HEADERS -> lines.addAll(frame.fields());
                case DATA -> lines.add(frame.text());
                default -> lines.add("reset");
            }
            ended += frame.ends() || frame.type() == RST_STREAM ? 1 : 0;
        }
        return answers;
    }

    /// As many as cargo asks for at once in a middling project, all on one connection.
    @Test
    void e12EachStreamGetsItsOwnAnswer() throws Exception {
        int streams = 60;
        try (Http2Rig rig =
                Http2Rig.of(
                        peer -> {
                            List<Http2Peer.Frame> heads = new ArrayList<>();
                            while (heads.size() < streams) {
                                heads.add(peer.head());
                            }
                            for (Http2Peer.Frame head : heads.reversed()) {
                                tell(peer, head);
                            }
                            peer.drain();
                        })) {
            Http2Peer client = rig.client();
            for (int i = 0; i < streams; i++) {
                ask(client, 2 * i + 1);
            }
            answers(client, streams)
                    .forEach((stream, answer) -> assertThat(answer).contains(OK, "x-n: " + stream));
            assertThat(rig.host.peers).hasSize(1);
        }
    }

    /// A connection of the sandbox's is never served by what another one has opened.
    @Test
    void e12ConnectionsOfASandboxShareNothing() throws Exception {
        try (Http2Rig rig = Http2Rig.of(once(new CountDownLatch(2)))) {
            Http2Peer one = rig.client();
            Http2Peer other = rig.client();
            ask(one, 1);
            ask(other, 3);
            assertThat(one.rest(1)).contains("x-n: 1");
            assertThat(other.rest(3)).contains("x-n: 3");
            assertThat(rig.host.peers).hasSize(2);
        }
    }

    /// Answers one request, when as many connections have one.
    private static ScriptedHost.Http2Script once(CountDownLatch all) {
        return peer -> {
            Http2Peer.Frame head = peer.head();
            all.countDown();
            until(all);
            tell(peer, head);
            peer.drain();
        };
    }

    @Test
    void aHostGetsNoMoreStreamsThanItTakes() throws Exception {
        try (Http2Rig rig = Http2Rig.of(once(new CountDownLatch(2)), MAX_STREAMS, 1)) {
            Http2Peer client = rig.client();
            ask(client, 1);
            ask(client, 3);
            answers(client, 2)
                    .forEach((stream, answer) -> assertThat(answer).contains("x-n: " + stream));
            assertThat(rig.host.peers).hasSize(2);
        }
    }

    /// The sandbox reads one answer and none of the others.
    @Test
    void answersThatNobodyReadsHoldUpNoOther() throws Exception {
        int pieces = 2 * WINDOW_BYTES / PIECE_BYTES;
        try (Http2Rig rig =
                Http2Rig.of(
                        peer -> {
                            for (int i = 0; i < UNREAD; i++) {
                                fill(peer, peer.head().stream());
                            }
                            Http2Peer.Frame read = peer.head();
                            peer.head(read.stream(), 0, OK);
                            long allowed = WINDOW_BYTES;
                            for (int i = 0; i < pieces; i++) {
                                while ((i + 1L) * PIECE_BYTES > allowed) {
                                    Http2Peer.Frame frame = peer.any();
                                    boolean more =
                                            frame.type() == WINDOW_UPDATE
                                                    && frame.stream() == read.stream();
                                    allowed += more ? frame.number() : 0;
                                }
                                int flags = i == pieces - 1 ? END_STREAM : 0;
                                peer.data(read.stream(), "y".repeat(PIECE_BYTES), flags);
                            }
                            peer.drain();
                        })) {
            Http2Peer client = rig.client(FIRST_WINDOW, 1_000);
            client.number(WINDOW_UPDATE, 0, 1 << 30);
            for (int i = 0; i < UNREAD; i++) {
                ask(client, 2 * i + 1);
            }
            int last = 2 * UNREAD + 1;
            ask(client, last);
            client.number(WINDOW_UPDATE, last, 1 << 30);
            long read =
                    client.rest(last).stream()
                            .filter(line -> line.startsWith("y"))
                            .mapToLong(String::length)
                            .sum();
            assertThat(read).isEqualTo((long) pieces * PIECE_BYTES);
            assertThat(rig.host.peers).hasSize(1);
        }
    }

    /// All that fits into the window of a stream.
    private static void fill(Http2Peer peer, int stream) throws IOException {
        peer.head(stream, 0, OK);
        for (int sent = 0; sent < WINDOW_BYTES; sent += PIECE_BYTES) {
            peer.data(stream, "x".repeat(PIECE_BYTES), 0);
        }
    }

    /// What is no answer ends its call. The others are completed, and the next request is not sent
    /// there.
    @ParameterizedTest
    @ValueSource(strings = {"ends too soon", "is too long", "has a bad field", "is reset"})
    void e11AFaultInOneAnswerEndsThatOne(String fault) throws Exception {
        CountDownLatch refused = new CountDownLatch(1);
        try (Http2Rig rig =
                Http2Rig.of(
                        peer -> {
                            Http2Peer.Frame good = peer.head();
                            if (refused.getCount() > 0) {
                                spoil(peer, peer.head().stream(), fault);
                                until(refused);
                            }
                            tell(peer, good);
                            peer.drain();
                        })) {
            Http2Peer client = rig.client();
            ask(client, 1);
            ask(client, 3);
            assertThat(client.rest(3))
                    .containsAnyOf("sallyport-reason: upstream-misbehaved", "reset");
            refused.countDown();
            assertThat(client.rest(1)).contains("x-n: 1");
            ask(client, 5);
            assertThat(client.rest(5)).contains("x-n: 5");
            assertThat(rig.host.peers).hasSize(2);
            assertThat(rig.web.recorded("egress.failed")).hasSize(1);
        }
    }

    private static void spoil(Http2Peer peer, int stream, String fault) throws IOException {
        switch (fault) {
            case "ends too soon" -> peer.head(stream, END_STREAM, OK, "content-length: 2");
            case "is too long" -> {
                peer.head(stream, 0, OK, "content-length: 2");
                peer.data(stream, "xxx", END_STREAM);
            }
            case "has a bad field" -> peer.head(stream, END_STREAM, OK, "X-A: b");
            default -> {
                peer.head(stream, 0, OK);
                peer.number(RST_STREAM, stream, 2);
            }
        }
    }

    /// What a host says about a stream that nobody opened cannot be told from an answer to
    /// somebody, so all are over.
    @Test
    void e12AFrameOfNobodyEndsThemAll() throws Exception {
        try (Http2Rig rig =
                Http2Rig.of(
                        peer -> {
                            Http2Peer.Frame first = peer.head();
                            Http2Peer.Frame second = peer.head();
                            peer.head(first.stream(), 0, OK);
                            peer.head(second.stream(), 0, OK);
                            peer.head(second.stream() + 2, END_STREAM, OK);
                            peer.drain();
                        })) {
            Http2Peer client = rig.client();
            ask(client, 1);
            ask(client, 3);
            answers(client, 2).values().forEach(answer -> assertThat(answer).contains("reset"));
            Await.until(() -> rig.web.recorded("egress.failed").size() == 2);
        }
    }

    /// The host is told, and what it has already sent is no fault.
    @Test
    void aSandboxThatGivesUpOneStreamKeepsTheOthers() throws Exception {
        try (Http2Rig rig =
                Http2Rig.of(
                        peer -> {
                            Http2Peer.Frame kept = peer.head();
                            Http2Peer.Frame left = peer.head();
                            peer.head(left.stream(), 0, OK);
                            untilReset(peer, left.stream());
                            for (int i = 0; i < LATE_FRAMES; i++) {
                                peer.data(left.stream(), "late", 0);
                            }
                            tell(peer, kept);
                            peer.drain();
                        })) {
            Http2Peer client = rig.client();
            ask(client, 1);
            ask(client, 3);
            assertThat(client.next().stream()).isEqualTo(3);
            client.number(RST_STREAM, 3, 8);
            assertThat(client.rest(1)).contains(OK, "x-n: 1");
            assertThat(rig.host.peers).hasSize(1);
        }
    }

    private static void untilReset(Http2Peer peer, int stream) throws IOException {
        Http2Peer.Frame frame = peer.any();
        while (frame.type() != RST_STREAM || frame.stream() != stream) {
            frame = peer.any();
        }
    }

    @Test
    void aHostThatGoesOnWithWhatWasGivenUpIsCutOff() throws Exception {
        try (Http2Rig rig =
                Http2Rig.of(
                        peer -> {
                            peer.head();
                            Http2Peer.Frame left = peer.head();
                            peer.head(left.stream(), 0, OK);
                            untilReset(peer, left.stream());
                            while (true) {
                                peer.data(left.stream(), "more", 0);
                            }
                        })) {
            Http2Peer client = rig.client();
            ask(client, 1);
            ask(client, 3);
            assertThat(client.next().stream()).isEqualTo(3);
            client.number(RST_STREAM, 3, 8);
            assertThat(client.rest(1)).contains("sallyport-reason: upstream-misbehaved");
            Await.until(() -> rig.host.peers.getFirst().over);
        }
    }

    /// Which streams it has not begun, a host says when it leaves.
    @Test
    void aHostThatLeavesIsAskedAgainForWhatItHasNotBegun() throws Exception {
        CountDownLatch left = new CountDownLatch(1);
        try (Http2Rig rig =
                Http2Rig.of(
                        peer -> {
                            Http2Peer.Frame first = peer.head();
                            if (left.getCount() > 0) {
                                peer.head();
                                byte last = (byte) first.stream();
                                peer.frame(GOAWAY, 0, 0, new byte[] {0, 0, 0, last, 0, 0, 0, 0});
                                left.countDown();
                            }
                            tell(peer, first);
                            peer.drain();
                        })) {
            Http2Peer client = rig.client();
            ask(client, 1);
            ask(client, 3);
            answers(client, 2)
                    .forEach((stream, answer) -> assertThat(answer).contains("x-n: " + stream));
            assertThat(rig.host.peers).hasSize(2);
        }
    }

    /// The connection was opened for the first; it is gone, and the second waits for it.
    @Test
    void whatWasOpenedForOneServesAnother() throws Exception {
        try (Http2Rig rig =
                Http2Rig.of(
                        peer -> {
                            tell(peer, peer.head());
                            peer.drain();
                        })) {
            rig.host.awake = new CountDownLatch(1);
            Http2Peer client = rig.client();
            ask(client, 1);
            ask(client, 3);
            Await.until(() -> rig.web.recorded("egress.request").size() == 2);
            client.number(RST_STREAM, 1, 8);
            rig.host.awake.countDown();
            assertThat(client.rest(3)).contains("x-n: 3");
            assertThat(rig.host.peers).hasSize(1);
        }
    }
}

package dev.sallyport.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.config.Limits;
import dev.sallyport.policy.Refusal;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.Http2FrameCodec;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What RFC 9113 asks of a server, frame by frame: what a client may send is served, and one that
/// breaks the rules is told which.
final class Http2ConformanceTest {
    private static final int END = Http2Wire.END_STREAM;
    private static final int PROTOCOL_ERROR = 1;
    private static final int FLOW_CONTROL_ERROR = 3;
    private static final int STREAM_CLOSED = 5;
    private static final int ACK = 1;
    private static final int STREAMS_MAX = 100;
    private static final int PLACES = Limits.standard().sharing().requestsInFlightPerSandboxMax();

    private static void assertEnded(Http2Wire wire, int error) {
        assertThat(wire.frames())
                .filteredOn(frame -> frame.type() == Http2Wire.GOAWAY)
                .extracting(Http2Wire.Frame::text)
                .containsExactly("error " + error);
        assertThat(wire.isOpen()).isFalse();
        assertThat(wire.quota.inFlight()).isZero();
        assertThat(wire.recorded).extracting(AuditEvent::kind).containsExactly("http.ambiguous");
    }

    /// Section 5.1, half-closed (remote).
    @Test
    void aSecondHeadOnAStreamThatTheClientEndedEndsTheConnection() {
        RecordingDoor door = new RecordingDoor();
        try (Http2Wire wire = new Http2Wire(door)) {
            wire.head(1, Http2Wire.get("/one"), END).head(1, Http2Wire.get("/two"), END);
            assertEnded(wire, STREAM_CLOSED);
            assertThat(door.heads).hasSize(1);
        }
    }

    /// Section 5.1, closed.
    @Test
    void aHeadOnAStreamThatIsOverEndsTheConnection() {
        RecordingDoor door = RecordingDoor.answeringAtTheEnd();
        try (Http2Wire wire = new Http2Wire(door)) {
            wire.head(1, Http2Wire.post("/one"), 0).data(1, "body", END);
            assertThat(wire.answer(1)).contains("served /one");
            wire.head(1, Http2Wire.get("/two"), END);
            assertEnded(wire, STREAM_CLOSED);
            assertThat(door.heads).hasSize(1);
        }
    }

    /// Section 5.1.1.
    @Test
    void aStreamWithANumberThatWasPassedOverEndsTheConnection() {
        RecordingDoor door = RecordingDoor.answeringAtTheEnd();
        try (Http2Wire wire = new Http2Wire(door)) {
            wire.head(5, Http2Wire.get("/one"), END).head(3, Http2Wire.get("/two"), END);
            assertEnded(wire, PROTOCOL_ERROR);
            assertThat(door.heads).hasSize(1);
        }
    }

    /// Section 6.9.1. The fault is named, and not covered by a farewell without one.
    @Test
    void aWindowThatGrowsTooLargeIsNamedAsTheFault() {
        try (Http2Wire wire = new Http2Wire(new RecordingDoor())) {
            wire.frame(
                    Http2Wire.WINDOW_UPDATE, 0, 0, Unpooled.buffer().writeInt(Integer.MAX_VALUE));
            assertEnded(wire, FLOW_CONTROL_ERROR);
        }
    }

    /// Section 5.1: a client may not know yet that its stream was reset, so its other streams go
    /// on.
    @Test
    void lateFramesOfAStreamThatWasResetDoNotEndTheConnection() {
        RecordingDoor door = new RecordingDoor();
        try (Http2Wire wire = new Http2Wire(door)) {
            wire.head(1, Http2Wire.post("/one"), 0);
            door.responders.getFirst().cut();
            assertThat(wire.answer(1)).contains("error 2");
            wire.data(1, "late", 0).head(1, List.of(new Http2Wire.Field("x-sum", "1")), END);
            wire.head(3, Http2Wire.get("/two"), END);
            assertThat(door.heads).hasSize(2);
            RecordingDoor.answer(door.responders.get(1), "second");
            assertThat(wire.answer(3)).contains("second");
            assertThat(wire.isOpen()).isTrue();
        }
    }

    /// A client that may have fewer streams than it wants opens another connection for the rest.
    /// Section 6.5.2: until it has read our limit it may begin a hundred, as cargo does, so there
    /// is nothing to gain from a smaller one. It is no fault to end some of them, either.
    @Test
    void aClientMayBeginAHundredAndThoseWithoutAPlaceWaitInLine() {
        RecordingDoor door = new RecordingDoor();
        try (Http2Wire wire = new Http2Wire(door)) {
            int last = 2 * STREAMS_MAX - 1;
            begin(wire, 1, last);
            acknowledge(wire).reset(last);
            assertThat(told(wire)).isEqualTo(STREAMS_MAX);
            assertThat(door.heads).hasSize(PLACES).hasSizeLessThan(STREAMS_MAX);
            for (int i = 0; i < STREAMS_MAX - 1; i++) {
                RecordingDoor.answer(door.responders.get(i), "served");
                wire.channel.runPendingTasks();
            }
            assertThat(wire.frames())
                    .filteredOn(Http2Wire.Frame::ends)
                    .hasSize(STREAMS_MAX - 1)
                    .noneMatch(frame -> frame.stream() == last);
            assertUnharmed(wire, door, last + 2);
        }
    }

    /// Section 5.1.2. The client's reset crosses ours, or answers it, as nghttp2 does.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aStreamTooManyIsRefusedAndItsConnectionGoesOn(boolean acknowledged) {
        RecordingDoor door = new RecordingDoor();
        try (Http2Wire wire = new Http2Wire(door)) {
            begin(wire, 1, 1);
            if (acknowledged) {
                acknowledge(wire);
            }
            int last = 2 * STREAMS_MAX - 1;
            begin(wire, 3, last);
            assertThat(wire.frames()).noneMatch(f -> f.type() == Http2Wire.RST_STREAM);
            int surplus = last + 2;
            wire.head(surplus, Http2Wire.post("/surplus"), 0);
            assertThat(wire.answer(surplus)).isEqualTo("error 7\n");
            wire.data(surplus, "late", 0)
                    .frame(Http2Wire.WINDOW_UPDATE, 0, surplus, Unpooled.buffer().writeInt(1))
                    .reset(surplus);
            for (int stream = 1; stream <= last; stream += 2) {
                wire.reset(stream);
            }
            assertThat(door.heads).noneMatch(head -> head.path().equals("/surplus"));
            assertUnharmed(wire, door, surplus + 2);
        }
    }

    /// E11: our limit takes the place of the codec's.
    @Test
    void e11_streamsWithoutEndEndTheConnection() {
        RecordingDoor door = new RecordingDoor();
        try (Http2Wire wire = new Http2Wire(door)) {
            int begun = 0;
            while (wire.isOpen() && begun < 10 * STREAMS_MAX) {
                wire.head(2 * begun++ + 1, Http2Wire.get("/early"), END);
            }
            assertThat(wire.isOpen()).isFalse();
            assertThat(begun).isBetween(STREAMS_MAX, 4 * STREAMS_MAX);
            assertThat(door.heads).hasSize(PLACES);
            assertThat(door.aborts).hasSameSizeAs(door.heads);
            assertThat(wire.quota.inFlight()).isZero();
        }
    }

    /// Section 5.1: what never began has no frames.
    @Test
    void aResetOfAStreamThatNeverBeganEndsTheConnection() {
        try (Http2Wire wire = new Http2Wire(new RecordingDoor())) {
            begin(wire, 1, 3);
            wire.reset(5);
            assertEnded(wire, PROTOCOL_ERROR);
        }
    }

    private static void begin(Http2Wire wire, int first, int last) {
        for (int stream = first; stream <= last; stream += 2) {
            wire.head(stream, Http2Wire.get("/early"), END);
        }
    }

    /// How many streams the client may have, as we told it.
    private static int told(Http2Wire wire) {
        var codec = wire.channel.pipeline().get(Http2FrameCodec.class);
        return codec.connection().remote().maxActiveStreams();
    }

    private static Http2Wire acknowledge(Http2Wire wire) {
        return wire.frame(Http2Wire.SETTINGS, ACK, 0, Unpooled.EMPTY_BUFFER);
    }

    private static void assertUnharmed(Http2Wire wire, RecordingDoor door, int next) {
        wire.head(next, Http2Wire.get("/next"), END);
        RecordingDoor.answer(door.responders.getLast(), "next");
        assertThat(wire.answer(next)).contains(":status: 200", "next", "END");
        assertThat(wire.isOpen()).isTrue();
        assertThat(wire.recorded).isEmpty();
        assertThat(wire.quota.inFlight()).isZero();
    }

    /// Section 8.1.
    @Test
    void aRequestMayEndWithTrailers() {
        RecordingDoor door = RecordingDoor.answeringAtTheEnd();
        try (Http2Wire wire = new Http2Wire(door)) {
            wire.head(1, Http2Wire.post("/one"), 0)
                    .data(1, "body", 0)
                    .head(1, List.of(new Http2Wire.Field("x-sum", "a b")), END);
            assertThat(wire.answer(1)).contains(":status: 200", "served /one", "END");
            assertThat(door.bodies).containsExactly("body");
            assertThat(door.trailers).containsExactly(Map.of("x-sum", "a b"));
            assertThat(door.ends).isEqualTo(1);
            assertThat(wire.recorded).isEmpty();
        }
    }

    @Test
    void trailersWaitUntilTheDoorWantsTheBody() {
        RecordingDoor door = RecordingDoor.answeringAtTheEnd();
        door.onOpen = (_, responder) -> responder.pauseBody();
        try (Http2Wire wire = new Http2Wire(door)) {
            wire.head(1, Http2Wire.post("/one"), 0)
                    .data(1, "body", 0)
                    .head(1, List.of(new Http2Wire.Field("x-sum", "1")), END);
            assertThat(door.trailers).isEmpty();
            assertThat(door.ends).isZero();
            door.responders.getFirst().resumeBody();
            assertThat(door.bodies).containsExactly("body");
            assertThat(door.trailers).hasSize(1);
            assertThat(wire.answer(1)).contains("served /one");
        }
    }

    /// E11: the head is with its door, so the request is cut, under its own reason.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "content-length",
                "transfer-encoding",
                "host",
                "authorization",
                "cookie",
                "te",
                "trailer",
                "connection",
                "expect",
                "content-type",
                "if-match",
                "X-Sum",
                "x_sum",
                "proxy-authorization",
                "upgrade",
                ":path",
                "range",
                "x-sum\r\nhost"
            })
    void e11_cutsARequestWhoseTrailersSayWhatAHeadIsJudgedBy(String name) {
        RecordingDoor door = RecordingDoor.answeringAtTheEnd();
        try (Http2Wire wire = new Http2Wire(door)) {
            wire.head(1, Http2Wire.post("/one"), 0)
                    .data(1, "body", 0)
                    .head(1, List.of(new Http2Wire.Field(name, "4")), END)
                    .seconds(1);
            assertThat(door.ends).isZero();
            assertThat(door.trailers).isEmpty();
            assertThat(door.aborts).containsExactly(Refusal.MALFORMED_BODY);
            assertThat(wire.recorded).as("the door records it").isEmpty();
            assertThat(wire.quota.inFlight()).isZero();
        }
    }

    @Test
    void e11_cutsABodyThatIsNotAsLongAsItSays() {
        for (String body : new String[] {"too long", "sho"}) {
            RecordingDoor door = RecordingDoor.answeringAtTheEnd();
            try (Http2Wire wire = new Http2Wire(door)) {
                wire.head(1, Http2Wire.with(Http2Wire.post("/"), "content-length", "4"), 0)
                        .data(1, body, END)
                        .seconds(1);
                assertThat(door.ends).isZero();
                assertThat(door.aborts).containsExactly(Refusal.MALFORMED_BODY);
                assertThat(wire.recorded).isEmpty();
            }
        }
    }

    /// E13, CVE-2021-40346.
    @Test
    void e13_refusesANameThatIsTooLong() {
        RecordingDoor door = RecordingDoor.answeringAtTheEnd();
        int max = Limits.standard().http().fieldNameBytesMax();
        try (Http2Wire wire = new Http2Wire(door)) {
            wire.head(1, Http2Wire.with(Http2Wire.get("/"), "x".repeat(max + 1), "1"), END);
            assertThat(wire.answer(1)).contains(":status: 431");
            assertThat(door.heads).isEmpty();
            wire.head(3, Http2Wire.with(Http2Wire.get("/"), "x".repeat(max), "1"), END);
            assertThat(wire.answer(3)).contains(":status: 200");
        }
    }
}

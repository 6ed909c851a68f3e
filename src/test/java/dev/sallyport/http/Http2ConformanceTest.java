package dev.sallyport.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.config.Limits;
import dev.sallyport.policy.Refusal;
import io.netty.buffer.Unpooled;
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

package dev.sallyport.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.config.Limits;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;

/// Requests of HTTP/2 wait for a place as those of HTTP/1.1 do.
final class Http2QuotaTest {
    @Test
    void whatExceedsTheRateWaits() {
        RecordingDoor door = RecordingDoor.answeringAtTheEnd();
        try (Http2Wire wire = new Http2Wire(door, sharing(32, 1, 30))) {
            wire.head(1, Http2Wire.get("/"), Http2Wire.END_STREAM)
                    .head(3, Http2Wire.get("/"), Http2Wire.END_STREAM);
            assertThat(door.heads).hasSize(1);
            wire.seconds(1);
            assertThat(wire.answer(3)).contains(":status: 200");
            assertThat(door.heads).hasSize(2);
            assertThat(wire.quota.inFlight()).isZero();
        }
    }

    @Test
    void whatExceedsTheNumberInFlightWaitsWithItsBodyAndNotForever() {
        RecordingDoor door = RecordingDoor.answeringAtTheEnd();
        try (Http2Wire wire = new Http2Wire(door, sharing(1, 100, 3))) {
            wire.quota.enter(new FakeGuest());
            wire.head(1, Http2Wire.post("/"), 0).data(1, "body", Http2Wire.END_STREAM).seconds(2);
            assertThat(door.heads).isEmpty();
            wire.quota.leave();
            wire.channel.runPendingTasks();
            assertThat(wire.answer(1)).contains(":status: 200");
            assertThat(door.bodies).containsExactly("body");

            wire.quota.enter(new FakeGuest());
            wire.head(3, Http2Wire.get("/"), Http2Wire.END_STREAM).seconds(3);
            assertThat(wire.answer(3)).contains(":status: 429", "retry-after", "Sallyport: ");
            wire.seconds(1)
                    .head(5, Http2ConnectionTest.headRequest(), Http2Wire.END_STREAM)
                    .seconds(3);
            assertThat(wire.answer(5))
                    .contains(":status: 429", "content-length", "END")
                    .doesNotContain("Sallyport: ");
            assertThat(door.heads).hasSize(1);
            wire.quota.leave();
            assertThat(wire.quota.inFlight()).isZero();
        }
    }

    @Test
    void aStreamThatIsResetInLineHoldsNoPlace() {
        RecordingDoor door = RecordingDoor.answeringAtTheEnd();
        try (Http2Wire wire = new Http2Wire(door, sharing(1, 100, 30))) {
            wire.quota.enter(new FakeGuest());
            wire.head(1, Http2Wire.get("/"), Http2Wire.END_STREAM).reset(1);
            wire.quota.leave();
            wire.channel.runPendingTasks();
            assertThat(door.heads).isEmpty();
            assertThat(wire.quota.inFlight()).isZero();
        }
    }

    /// Answers that nobody takes would fill our memory, a window of each stream of each connection.
    @Test
    void anAnswerThatIsNotTakenKeepsItsPlace() {
        RecordingDoor door = RecordingDoor.answeringAtTheEnd();
        try (Http2Wire wire = new Http2Wire(door)) {
            ByteBuf noWindow = Unpooled.buffer().writeShort(4).writeInt(0);
            wire.frame(Http2Wire.SETTINGS, 0, 0, noWindow)
                    .head(1, Http2Wire.get("/one"), Http2Wire.END_STREAM)
                    .head(3, Http2Wire.get("/two"), Http2Wire.END_STREAM);
            assertThat(door.ends).isEqualTo(2);
            assertThat(wire.quota.inFlight()).isEqualTo(2);
            ByteBuf more = Unpooled.buffer().writeInt(1_000);
            wire.frame(Http2Wire.WINDOW_UPDATE, 0, 1, more);
            assertThat(wire.answer(1)).contains("served /one", "END");
            assertThat(wire.quota.inFlight()).isEqualTo(1);
            wire.seconds(Limits.standard().http().bodyIdleSecondsMax());
            assertThat(wire.quota.inFlight()).isZero();
        }
    }

    /// The windows count bytes; a frame with one byte costs a hundred.
    @Test
    void smallFramesThatWaitAreFew() {
        RecordingDoor door = new RecordingDoor();
        door.onOpen = (_, responder) -> responder.pauseBody();
        try (Http2Wire wire = new Http2Wire(door)) {
            wire.head(1, Http2Wire.post("/"), 0).head(3, Http2Wire.post("/"), 0);
            for (int i = 0; i < 1_024; i++) {
                wire.data(1, "x", 0).data(3, "x", 0);
            }
            assertThat(wire.isOpen()).isTrue();
            door.responders.getFirst().resumeBody();
            assertThat(door.bodies.getFirst()).hasSize(1_024);
            for (int i = 0; i < 1_024; i++) {
                wire.data(3, "x", 0);
            }
            assertThat(wire.isOpen()).isTrue();
            wire.reset(3).head(5, Http2Wire.post("/"), 0);
            for (int i = 0; i < 2_048; i++) {
                wire.data(5, "x", 0);
            }
            assertThat(wire.isOpen()).isTrue();
            wire.data(5, "x", 0);
            assertThat(wire.frames())
                    .anyMatch(f -> f.type() == Http2Wire.GOAWAY && f.text().equals("error 11"));
            assertThat(wire.isOpen()).isFalse();
            assertThat(wire.quota.inFlight()).isZero();
        }
    }

    @Test
    void smallFramesThatAreWantedMayBeMany() {
        RecordingDoor door = new RecordingDoor();
        try (Http2Wire wire = new Http2Wire(door)) {
            wire.head(1, Http2Wire.post("/"), 0);
            ByteBuf read = wire.channel.alloc().buffer();
            for (int i = 0; i < 5_000; i++) {
                frameOfOneByte(read);
            }
            wire.channel.writeInbound(read);
            assertThat(door.bodies.getFirst()).hasSize(5_000);
            assertThat(wire.isOpen()).isTrue();
        }
    }

    private static void frameOfOneByte(ByteBuf read) {
        read.writeMedium(1).writeByte(Http2Wire.DATA).writeByte(0).writeInt(1).writeByte('x');
    }

    /// A small frame that waits would keep all that was read together with it.
    @Test
    void aFrameThatWaitsKeepsNoOtherBytes() {
        RecordingDoor door = new RecordingDoor();
        door.onOpen = (_, responder) -> responder.pauseBody();
        try (Http2Wire wire = new Http2Wire(door)) {
            wire.head(1, Http2Wire.post("/"), 0);
            ByteBuf read = wire.channel.alloc().buffer();
            frameOfOneByte(read);
            wire.channel.writeInbound(read);
            assertThat(read.refCnt()).isZero();
            door.responders.getFirst().resumeBody();
            assertThat(door.bodies).containsExactly("x");
        }
    }

    private static Limits sharing(int inFlight, int perSecond, int waitSeconds) {
        Limits limits = Limits.standard();
        return new Limits(
                limits.http(),
                new Limits.Sharing(128, 8_192, inFlight, 1_024, perSecond, 256, waitSeconds),
                limits.git(),
                limits.push(),
                limits.mirror(),
                limits.dns(),
                limits.upstream(),
                limits.egress(),
                Limits.Api.STANDARD,
                Limits.Approvals.STANDARD);
    }
}

package dev.sallyport.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.config.Limits;
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
                limits.egress());
    }
}

package dev.sallyport.egress;

import static dev.sallyport.egress.ScriptedHost.answering;
import static dev.sallyport.egress.ScriptedHost.ok;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.fixture.Await;
import dev.sallyport.fixture.GatewayWork;
import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.RefusedException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// P10: bodies that are never finished fill their room, and not the gateway's heap.
final class JsonRoomTest {
    private static final int ROOM_BYTES = 1 << 20;

    private static ByteBuf unfinished(int names) {
        StringBuilder text = new StringBuilder("{");
        for (int i = 0; i < names; i++) {
            text.append("\"name").append(i).append("\":1,");
        }
        return Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII);
    }

    /// Opens bodies until one is refused.
    private static Refusal fill(JsonRoom room, List<JsonGate> open) throws Exception {
        for (int i = 0; i < 1_000; i++) {
            JsonGate gate = JsonGate.of(JsonGateTest.permit(), room);
            open.add(gate);
            try {
                gate.read(unfinished(1_000));
            } catch (RefusedException e) {
                return e.refusal();
            }
        }
        throw new AssertionError("there is room for any number of bodies");
    }

    @Test
    void p10BodiesInFlightShareOneRoomAndGiveItBack() throws Exception {
        JsonRoom room = JsonRoom.of(ROOM_BYTES, GatewayWork.directory());
        List<JsonGate> open = new ArrayList<>();
        assertThat(fill(room, open)).isEqualTo(Refusal.GATEWAY_BUSY);
        assertThat(open).hasSizeBetween(2, 16);
        assertThat(room.bytes()).isLessThanOrEqualTo(ROOM_BYTES);

        open.forEach(JsonGate::release);
        open.forEach(JsonGate::release);
        assertThat(room.bytes()).isZero();
        assertThat(fill(room, new ArrayList<>())).isEqualTo(Refusal.GATEWAY_BUSY);
    }

    @Test
    void p10OneSandboxCannotTakeTheRoomOfAnother() throws Exception {
        JsonRoom gateway = JsonRoom.of(4 * ROOM_BYTES, GatewayWork.directory());
        assertThat(fill(gateway.share(), new ArrayList<>())).isEqualTo(Refusal.GATEWAY_BUSY);
        JsonRoom other = gateway.share();
        assertThat(other.take(ROOM_BYTES)).isTrue();
        assertThat(gateway.share().take(ROOM_BYTES)).isTrue();
        assertThat(gateway.bytes()).isLessThanOrEqualTo(4 * ROOM_BYTES);

        assertThat(gateway.take(4 * ROOM_BYTES - gateway.bytes())).isTrue();
        JsonRoom late = gateway.share();
        assertThat(late.take(1)).isFalse();
        assertThat(late.bytes()).isZero();
    }

    @Test
    void whatIsClosedAndWhatIsFinishedHoldsNothing() throws Exception {
        JsonRoom room = JsonRoom.of(ROOM_BYTES, GatewayWork.directory());
        String object = "{\"a\":{\"b\":1},\"c\":[]},";
        String body = "[" + object.repeat(5_000) + "0]";
        JsonGate gate = JsonGate.of(JsonGateTest.permit(), room);
        gate.read(Unpooled.copiedBuffer(body, StandardCharsets.US_ASCII));
        assertThat(room.bytes()).isBetween(1L, 32L * 1_024);
        gate.finish();
        assertThat(room.bytes()).isZero();
        gate.release();
        assertThat(room.bytes()).isZero();

        JsonGate denied = JsonGate.of(JsonGateTest.permit(), room);
        assertThatThrownBy(() -> denied.read(Unpooled.copiedBuffer(new byte[] {'{', '{'})))
                .isInstanceOf(RefusedException.class);
        denied.release();
        assertThat(room.bytes()).isZero();
    }

    @Test
    void p10ABodyWithoutRoomIsRefusedAndOneThatIsAbandonedMakesRoom() throws Exception {
        String body = unfinished(1_000).toString(StandardCharsets.US_ASCII) + "\"end\":1}";
        String request = WebClient.post("/", "Content-Type: application/json\r\n", body);
        JsonRoom room = JsonRoom.of(200_000, GatewayWork.directory());
        long whole = unfinishedBytes(body);
        try (ScriptedHost host = ScriptedHost.plain(answering(ok("hello")));
                WebRig rig = rig(host, room)) {
            try (WebClient slow = new WebClient(rig)) {
                slow.send(request.substring(0, request.length() - 1));
                Await.until(() -> room.bytes() == whole);
                assertThat(WebClient.ask(rig, request)).contains("sallyport-reason: gateway-busy");
                assertThat(rig.recorded("egress.request")).containsExactly("deny gateway-busy");
                assertThat(room.bytes()).isPositive();
            }
            Await.until(() -> room.bytes() == 0);
            assertThat(host.received()).doesNotContain("\"end\":1}");

            assertThat(WebClient.ask(rig, request)).endsWith("hello");
            assertThat(host.received()).endsWith("\"end\":1}");
            assertThat(room.bytes()).isZero();
        }
    }

    /// What a body takes when all but its end was read.
    private static long unfinishedBytes(String body) throws Exception {
        JsonRoom room = JsonRoom.of(200_000, GatewayWork.directory());
        String begun = body.substring(0, body.length() - 1);
        JsonGate gate = JsonGate.of(JsonGateTest.permit(), room);
        gate.read(Unpooled.copiedBuffer(begun, StandardCharsets.US_ASCII));
        long bytes = room.bytes();
        gate.release();
        return bytes;
    }

    private static WebRig rig(ScriptedHost host, JsonRoom room) throws Exception {
        WebRule rule = new WebRule(host.dial(), Optional.empty()).jsonDenied("type=url");
        return new WebRig(WebRig.Terms.plain(), room, rule.done());
    }
}

package dev.sallyport.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.audit.AuditEvent;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// The gateway's end may be compromised: what it sends is an exact event or the end.
class EventCodecTest {
    private static final AuditEvent EVENT =
            new AuditEvent(
                    "egress.request",
                    "0123456789abcdef",
                    "allow",
                    Map.of("id", "0001", "path", "/a\u00e9", "rule", "\u202e\ud800 half a pair"));

    private static ByteBuf batch(AuditEvent... events) {
        ByteBuf bytes = Unpooled.buffer().writeShort(events.length);
        for (AuditEvent event : events) {
            EventCodec.encode(event, bytes);
        }
        return bytes;
    }

    private static void assertRefused(ByteBuf bytes) {
        assertThatThrownBy(() -> EventCodec.decode(bytes)).isInstanceOf(ChannelException.class);
    }

    private static ByteBuf event(String kind, int decision, int details) {
        ByteBuf bytes = Unpooled.buffer().writeShort(1);
        name(bytes, kind);
        name(bytes, "0123456789abcdef");
        return bytes.writeByte(decision).writeByte(details);
    }

    private static void name(ByteBuf bytes, String name) {
        bytes.writeByte(name.length()).writeCharSequence(name, StandardCharsets.ISO_8859_1);
    }

    private static void value(ByteBuf bytes, int length) {
        bytes.writeShort(length).writeZero(length);
    }

    @Test
    void eventsSurviveTheJourney() throws IOException {
        AuditEvent plain = new AuditEvent("dns.overflow", "", "", Map.of());
        AuditEvent denied = new AuditEvent("git.push", "s", "deny", Map.of("a", ""));
        AuditEvent learned = new AuditEvent("git.push", "s", "learned", Map.of());
        assertThat(EventCodec.decode(batch(EVENT, plain, denied, learned)))
                .isEqualTo(List.of(EVENT, plain, denied, learned));
    }

    @Test
    void theLargestEventFitsABatchThatIsNearlyFull() throws IOException {
        Map<String, String> detail = new HashMap<>();
        for (int i = 10; i < 10 + AuditEvent.DETAILS_MAX; i++) {
            detail.put("k".repeat(62) + i, "\u0394".repeat(9_999));
        }
        AuditEvent largest = new AuditEvent("a." + "b".repeat(62), "s".repeat(64), "deny", detail);
        ByteBuf bytes = batch(largest);
        assertThat(bytes.readableBytes() - EventCodec.COUNT_BYTES)
                .isEqualTo(EventCodec.BATCH_BYTES_MAX - EventCodec.BATCH_BYTES_FULL);
        assertThat(EventCodec.decode(bytes)).isEqualTo(List.of(largest));
    }

    @Test
    void everyCutIsAnError() {
        ByteBuf whole = batch(EVENT, EVENT);
        for (int length = 0; length < whole.readableBytes(); length++) {
            assertRefused(whole.copy(0, length));
        }
        assertRefused(whole.copy().writeByte(0));
    }

    @Test
    void anythingOutOfBoundsIsAnError() {
        assertRefused(Unpooled.buffer().writeShort(0));
        assertRefused(
                Unpooled.buffer().writeShort(EventCodec.BATCH_EVENTS_MAX + 1).writeZero(9_999));
        assertRefused(event("Forged\n", 1, 0));
        assertRefused(event("git.request", 4, 0));
        assertRefused(event("git.request", 255, 0));
        assertRefused(event("g".repeat(63) + ".x", 1, 0));
        ByteBuf long512 = event("git.request", 1, 1);
        name(long512, "a");
        value(long512, 513);
        assertRefused(long512);
        ByteBuf key = event("git.request", 1, 1);
        name(key, "a b");
        value(key, 1);
        assertRefused(key);
        ByteBuf many = event("git.request", 1, 33);
        for (int i = 10; i < 43; i++) {
            name(many, "k" + i);
            value(many, 1);
        }
        assertRefused(many);
    }

    @Test
    void thereIsOneWayToWriteAnEvent() {
        for (List<String> keys : List.of(List.of("a", "a"), List.of("b", "a"))) {
            ByteBuf bytes = event("git.request", 1, 2);
            keys.forEach(
                    key -> {
                        name(bytes, key);
                        value(bytes, 1);
                    });
            assertRefused(bytes);
        }
    }

    @Test
    void noiseIsAnErrorOrAnEventWithinBounds() {
        Random random = new Random(11);
        byte[] whole = new byte[batch(EVENT, EVENT).readableBytes()];
        batch(EVENT, EVENT).readBytes(whole);
        for (int i = 0; i < 20_000; i++) {
            byte[] noisy = whole.clone();
            noisy[random.nextInt(noisy.length)] = (byte) random.nextInt();
            noisy[random.nextInt(noisy.length)] = (byte) random.nextInt();
            try {
                assertThat(EventCodec.decode(Unpooled.wrappedBuffer(noisy))).hasSize(2);
            } catch (ChannelException e) {
                assertThat(e).hasMessageNotContaining("\u0000");
            }
        }
    }
}

package dev.sallyport.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// A connection that leaves HTTP: nothing that the sandbox sent is lost, and nothing of HTTP is
/// left.
final class TakeOverTest {
    private static final String GET = "GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n";
    private static final String POST =
            "POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc";

    private final StringBuilder after = new StringBuilder();
    private int taken;

    private final class Collecting extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            collect((ByteBuf) message);
        }
    }

    private void collect(ByteBuf bytes) {
        after.append(bytes.toString(StandardCharsets.ISO_8859_1));
        bytes.release();
    }

    private void take(Channel channel, ByteBuf unread) {
        taken++;
        assertThat(channel.pipeline().toMap()).isEmpty();
        collect(unread);
        channel.pipeline().addLast(new Collecting());
    }

    private RecordingDoor leavingAtOnce(int status, Map<String, String> fields) {
        RecordingDoor door = new RecordingDoor();
        door.onOpen = (_, responder) -> responder.takeOver(status, fields, this::take);
        return door;
    }

    @Test
    void handsOverWhatWasSentAheadAndAllThatFollows() {
        RecordingDoor door = leavingAtOnce(200, Map.of());
        try (Wire wire = new Wire(door)) {
            wire.send(GET + "\u0016\u0003\u0001 ahead ").send(GET);
            assertThat(wire.answered()).isEqualTo("HTTP/1.1 200 Connection established\r\n\r\n");
            assertThat(after).hasToString("\u0016\u0003\u0001 ahead " + GET);
            assertThat(door.heads).hasSize(1);
            assertThat(door.ends).isZero();
            assertThat(wire.quota.inFlight()).isZero();
        }
        assertThat(door.aborts).isEmpty();
    }

    @Test
    void losesNothingWhenTheDoorTakesItsTime() {
        RecordingDoor door = new RecordingDoor();
        try (Wire wire = new Wire(door)) {
            wire.send(GET + "ahead ");
            assertThat(door.ends).isEqualTo(1);
            door.responders.getFirst().takeOver(200, Map.of(), this::take);
            wire.send("behind");
            assertThat(after).hasToString("ahead behind");
            assertThat(taken).isEqualTo(1);
        }
    }

    @Test
    void losesNothingWhenEachByteArrivesAlone() {
        try (Wire wire = new Wire(leavingAtOnce(200, Map.of()))) {
            wire.dribble(GET + "ahead");
            assertThat(after).hasToString("ahead");
        }
    }

    @Test
    void namesTheProtocolOfAnUpgrade() {
        try (Wire wire = new Wire(leavingAtOnce(101, Map.of("upgrade", "websocket")))) {
            wire.send(GET);
            assertThat(wire.answered().split("\r\n", -1))
                    .containsExactly(
                            "HTTP/1.1 101 Switching Protocols",
                            "upgrade: websocket",
                            "connection: upgrade",
                            "",
                            "");
            assertThat(taken).isEqualTo(1);
        }
    }

    /// The time that a request may take is over for whoever goes on.
    @Test
    void isNotTimedAnyMore() {
        try (Wire wire = new Wire(leavingAtOnce(200, Map.of()))) {
            wire.send(GET).seconds(10_000);
            assertThat(wire.isOpen()).isTrue();
        }
    }

    /// What is in a body and what comes after it could be taken for each other.
    @Test
    void cutsWhenTheRequestHasABody() {
        RecordingDoor door = leavingAtOnce(200, Map.of());
        try (Wire wire = new Wire(door)) {
            wire.send(POST);
            assertThat(wire.isOpen()).isFalse();
            assertThat(wire.answered()).isEmpty();
            assertThat(wire.quota.inFlight()).isZero();
        }
        assertThat(taken).isZero();
    }

    @Test
    void cutsWhenAnAnswerHasBegunOrCannotBeWritten() {
        RecordingDoor begun = new RecordingDoor();
        begun.onOpen =
                (_, responder) -> {
                    responder.start(200, Map.of(), java.util.OptionalLong.empty());
                    responder.takeOver(200, Map.of(), this::take);
                };
        for (RecordingDoor door :
                new RecordingDoor[] {
                    begun,
                    leavingAtOnce(204, Map.of()),
                    leavingAtOnce(200, Map.of("upgrade", "websocket")),
                    leavingAtOnce(101, Map.of("upgrade", "a\r\nb: c"))
                }) {
            try (Wire wire = new Wire(door)) {
                wire.send(GET);
                assertThat(wire.isOpen()).isFalse();
                assertThat(wire.quota.inFlight()).isZero();
            }
        }
        assertThat(taken).isZero();
    }

    @Test
    void doesNothingAfterTheAnswerOrTheEnd() {
        RecordingDoor door = RecordingDoor.answeringAtTheEnd();
        try (Wire wire = new Wire(door)) {
            wire.send(GET);
            door.responders.getFirst().takeOver(200, Map.of(), this::take);
            assertThat(wire.answered()).endsWith("served /x");
            assertThat(wire.isOpen()).isTrue();
        }
        door.responders.getFirst().takeOver(200, Map.of(), this::take);
        assertThat(taken).isZero();
    }
}

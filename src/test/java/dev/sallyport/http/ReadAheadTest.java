package dev.sallyport.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// A socket that nobody wants to read from costs a system call, and another when somebody does. So
/// one read is asked for ahead of time, and no more than one.
final class ReadAheadTest {
    private static final String REQUEST = "GET /%d HTTP/1.1\r\nHost: localhost\r\n\r\n";

    private final RecordingDoor door = new RecordingDoor();
    private final Wire wire = new Wire(door);
    private final Reads reads = new Reads();

    /// Counts what the connection asks of its socket.
    private static final class Reads extends ChannelOutboundHandlerAdapter {
        private int count;

        @Override
        public void read(ChannelHandlerContext ctx) {
            count++;
        }
    }

    ReadAheadTest() {
        wire.channel.config().setAutoRead(false);
        wire.channel.pipeline().addFirst(reads);
    }

    @AfterEach
    void close() {
        wire.close();
    }

    @Test
    void theNextRequestIsAskedForWhileAnAnswerIsOwed() {
        wire.send(REQUEST.formatted(1));
        assertThat(door.heads).hasSize(1);
        assertThat(reads.count).isEqualTo(1);
    }

    @Test
    void whatIsPipelinedIsReadOnceAndServedInTurn() {
        wire.send(REQUEST.formatted(1)).send(REQUEST.formatted(2));
        assertThat(reads.count).as("nothing more before the answer").isEqualTo(1);
        assertThat(door.heads).hasSize(1);
        RecordingDoor.answer(door.responders.getFirst(), "one");
        assertThat(door.heads).extracting(RequestHead::path).containsExactly("/1", "/2");
    }

    @Test
    void aBodyThatTheDoorDoesNotWantIsNotReadAfterItsFirstPiece() {
        door.onOpen = (_, responder) -> responder.pauseBody();
        wire.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900\r\n\r\n");
        wire.send("a".repeat(300));
        assertThat(reads.count).isEqualTo(1);
        assertThat(door.bodies).containsExactly("");
    }
}

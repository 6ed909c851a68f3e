package dev.sallyport.dns;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.config.Limits;
import dev.sallyport.fixture.HandClock;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import java.util.ArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class DnsTcpHandlerTest {
    private static final Limits.Dns LIMITS = new Limits.Dns(5, 2, 10);

    private final EmbeddedChannel channel = new EmbeddedChannel();

    DnsTcpHandlerTest() {
        channel.freezeTime();
        channel.pipeline()
                .addLast(new LengthFieldBasedFrameDecoder(1_232, 0, 2, 0, 2))
                .addLast(
                        new DnsTcpHandler(
                                DnsAnswersTest.answers(new ArrayList<>()),
                                new DnsRate(LIMITS, new HandClock()),
                                LIMITS));
    }

    private static ByteBuf framed(ByteBuf query) {
        return Unpooled.buffer().writeShort(query.readableBytes()).writeBytes(query);
    }

    private int answersOut() {
        int pieces = 0;
        for (ByteBuf piece = channel.readOutbound();
                piece != null;
                piece = channel.readOutbound()) {
            piece.release();
            pieces++;
        }
        return pieces / 2;
    }

    @Test
    void answersFramesHoweverTheyAreSplit() {
        ByteBuf two = framed(Queries.of("github.com", 1, false));
        two.writeBytes(framed(Queries.of("example.com", 1, false)));
        while (two.isReadable()) {
            channel.writeInbound(two.readRetainedSlice(1));
        }
        assertThat(answersOut()).isEqualTo(2);
        assertThat(channel.isOpen()).isTrue();
    }

    @Test
    void closesOnFramesThatAreEmptyTooLongOrNotAQuery() {
        for (ByteBuf bad :
                new ByteBuf[] {
                    Unpooled.buffer().writeShort(0),
                    Unpooled.buffer().writeShort(60_000).writeZero(2_000),
                    framed(Queries.of("github.com", 1, false).setShort(2, 0x8000))
                }) {
            DnsTcpHandlerTest other = new DnsTcpHandlerTest();
            other.channel.writeInbound(bad);
            assertThat(other.channel.isOpen()).isFalse();
            assertThat(other.answersOut()).isZero();
        }
    }

    @Test
    void p10_closesAConnectionThatDribbles() {
        ByteBuf query = framed(Queries.of("github.com", 1, false));
        for (int i = 0; i < LIMITS.tcpIdleSecondsMax(); i++) {
            channel.writeInbound(query.readRetainedSlice(1));
            channel.advanceTimeBy(1, TimeUnit.SECONDS);
            channel.runScheduledPendingTasks();
        }
        assertThat(channel.isOpen()).isFalse();
        assertThat(answersOut()).isZero();
    }

    @Test
    void p10_closesAConnectionThatAsksTooFast() {
        for (int i = 0; i < 20 && channel.isOpen(); i++) {
            channel.writeInbound(framed(Queries.of("github.com", 1, false)));
        }
        assertThat(channel.isOpen()).isFalse();
        assertThat(answersOut()).isEqualTo(5);
    }
}

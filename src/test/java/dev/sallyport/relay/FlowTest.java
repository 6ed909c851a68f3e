package dev.sallyport.relay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.policy.Refusal;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// What a tunnel holds of what it is given.
class FlowTest {
    private final EmbeddedChannel down = new EmbeddedChannel();
    private final EmbeddedChannel up = new EmbeddedChannel();

    @BeforeEach
    void open() {
        Tunnel tunnel = new Tunnel(new Tunnel.Terms(60, 60, new Free()), new Any(), down, up);
        tunnel.upward().open();
        tunnel.downward().open();
    }

    @AfterEach
    void close() {
        down.finishAndReleaseAll();
        up.finishAndReleaseAll();
    }

    private static ByteBuf read(int bytes) {
        return Unpooled.buffer(Flow.READ_BYTES).writeZero(bytes);
    }

    /// What waits is counted by its bytes.
    @Test
    void aSmallReadDoesNotHoldALargeBuffer() {
        ByteBuf small = read(1);
        down.writeInbound(small);
        ByteBuf passed = up.readOutbound();
        assertThat(passed.readableBytes()).isEqualTo(1);
        assertThat(passed.capacity()).isLessThan(64);
        assertThat(small.refCnt()).isZero();
        passed.release();

        up.writeInbound(read(100));
        ByteBuf back = down.readOutbound();
        assertThat(back.capacity()).isLessThan(256);
        back.release();
    }

    @Test
    void aLargeReadIsNotCopied() {
        ByteBuf large = read(Flow.READ_BYTES / 2);
        down.writeInbound(large);
        ByteBuf passed = up.readOutbound();
        assertThat(passed).isSameAs(large);
        passed.release();
    }

    private static final class Free implements Account {
        @Override
        public boolean up(long bytes) {
            return true;
        }

        @Override
        public boolean down(long bytes) {
            return true;
        }

        @Override
        public void report() {}

        @Override
        public void over(boolean whole) {}
    }

    private static final class Any implements Tunnel.Grounds {
        @Override
        public Optional<Refusal> objection() {
            return Optional.empty();
        }

        @Override
        public ByteBuf clear(ByteBuf bytes) {
            return bytes;
        }

        @Override
        public void cut(Refusal reason) {}

        @Override
        public void ended(String why, long seconds) {}
    }
}

package dev.sallyport.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.policy.SessionId;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// P10: an event loop is shared between sandboxes, not between connections.
final class ReadTurnsTest {
    private static final int PIECE_BYTES = 64 * 1_024;
    private static final int CONNECTIONS = 30;

    private final List<Connection> connections = new ArrayList<>();

    /// A connection that counts how often it was read from.
    private static final class Connection extends ChannelOutboundHandlerAdapter {
        private final EmbeddedChannel channel = new EmbeddedChannel();
        private int reads;

        Connection(SessionId session) {
            channel.config().setAutoRead(false);
            channel.pipeline().addLast(this).addLast(new ReadTurns(session));
        }

        @Override
        public void read(ChannelHandlerContext ctx) {
            reads++;
        }

        void arrive(int bytes) {
            channel.writeInbound(Unpooled.wrappedBuffer(new byte[bytes]));
            channel.releaseInbound();
        }
    }

    private List<Connection> connect(SessionId session, int count) {
        List<Connection> made = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            made.add(new Connection(session));
        }
        connections.addAll(made);
        made.forEach(one -> ReadTurns.reading(one.channel, true));
        return made;
    }

    private static int reads(List<Connection> of) {
        return of.stream().mapToInt(one -> one.reads).sum();
    }

    private void turn() {
        connections.forEach(one -> one.channel.runScheduledPendingTasks());
    }

    @AfterEach
    void close() {
        connections.forEach(one -> one.channel.finishAndReleaseAll());
    }

    @Test
    void p10_manyDownloadsOfOneSandboxReadNoMoreInATurnThanOne() {
        List<Connection> hostile = connect(SessionId.random(), CONNECTIONS);
        assertThat(reads(hostile)).isEqualTo(CONNECTIONS);

        hostile.forEach(one -> one.arrive(PIECE_BYTES));
        assertThat(reads(hostile) - CONNECTIONS).isLessThanOrEqualTo(2);

        int before = reads(hostile);
        for (int i = 1; i <= 10; i++) {
            turn();
            assertThat(reads(hostile) - before).isLessThanOrEqualTo(2 * i);
        }
        for (int i = 0; i < 10 * CONNECTIONS; i++) {
            turn();
        }
        assertThat(hostile).as("none is forgotten").allMatch(one -> one.reads == 2);
    }

    @Test
    void p10_aBystanderIsReadAtOnceWhateverItsNeighbourHasUsed() {
        List<Connection> hostile = connect(SessionId.random(), CONNECTIONS);
        List<Connection> bystander = connect(SessionId.random(), 1);
        hostile.forEach(one -> one.arrive(PIECE_BYTES));
        bystander.getFirst().arrive(100);
        assertThat(bystander.getFirst().reads).isEqualTo(2);
    }

    @Test
    void manySmallPiecesHaveTheirPriceToo() {
        List<Connection> hostile = connect(SessionId.random(), CONNECTIONS);
        connect(SessionId.random(), 1);
        hostile.forEach(one -> one.arrive(1));
        assertThat(reads(hostile) - CONNECTIONS).isLessThanOrEqualTo(8);
    }

    /// A turn that ends early costs system calls, and here nobody gains by it; but somebody may
    /// come.
    @Test
    void manySmallPiecesOfALoneSandboxHaveALowerPrice() {
        List<Connection> lone = connect(SessionId.random(), 2 * CONNECTIONS);
        lone.forEach(one -> one.arrive(1));
        assertThat(reads(lone) - 2 * CONNECTIONS).isGreaterThan(8).isLessThanOrEqualTo(32);
    }

    @Test
    void bytesThatNobodySeesHaveTheirPriceToo() {
        List<Connection> hostile = connect(SessionId.random(), CONNECTIONS);
        List<Connection> bystander = connect(SessionId.random(), 1);
        ReadTurns.unseen(hostile.getFirst().channel, 16 * PIECE_BYTES);
        // A turn ends when something arrives at the first, on whose loop the timer is.
        hostile.stream().skip(1).forEach(one -> one.arrive(1));
        bystander.getFirst().arrive(1);
        assertThat(reads(hostile)).as("its turn is over").isEqualTo(CONNECTIONS);
        assertThat(bystander.getFirst().reads).isEqualTo(2);
    }

    @Test
    void whoGetsAPieceMayAskForTheNextAtOnce() {
        Connection one = connect(SessionId.random(), 1).getFirst();
        ReadTurns.reading(one.channel, false);
        one.channel
                .pipeline()
                .addLast(
                        new ChannelInboundHandlerAdapter() {
                            @Override
                            public void channelRead(ChannelHandlerContext ctx, Object message) {
                                ReferenceCountUtil.release(message);
                                ctx.read();
                            }
                        });
        one.arrive(1);
        assertThat(one.reads).isEqualTo(2);
        one.arrive(1);
        assertThat(one.reads).isEqualTo(3);
    }

    @Test
    void readsNothingMoreWhenNothingIsWanted() {
        Connection one = connect(SessionId.random(), 1).getFirst();
        ReadTurns.reading(one.channel, false);
        one.arrive(1);
        turn();
        assertThat(one.reads).isEqualTo(1);
        one.channel.read();
        assertThat(one.reads).isEqualTo(2);
    }
}

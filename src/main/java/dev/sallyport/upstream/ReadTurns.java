package dev.sallyport.upstream;

import dev.sallyport.policy.SessionId;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.concurrent.FastThreadLocal;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Stands first in the pipeline of every connection of a sandbox, on either side, and shares the
/// event loop between sandboxes: in one turn of the loop those of one sandbox read so many bytes
/// together, however many they are. What they would read beyond that waits for the next turn, after
/// everybody else was served. Nearly all that the loop does for a sandbox, TLS above all, it does
/// for bytes that were read.
///
/// The channel's auto-read is off, because Netty would read on without asking; [#reading] takes its
/// place.
public final class ReadTurns extends ChannelDuplexHandler {
    /// Takes a processor less than half a millisecond, with TLS on both sides.
    private static final int TURN_BYTES = 128 * 1_024;

    /// What a connection that waited for its turn may take of it.
    private static final int READ_BYTES = 64 * 1_024;

    /// What the smallest read counts as: a request costs far more than its bytes.
    private static final int READ_BYTES_MIN = 16 * 1_024;

    /// The same while no other sandbox has a connection on this loop. A turn that is over early
    /// costs system calls for every connection that then waits.
    private static final int LONE_READ_BYTES_MIN = 4 * 1_024;

    /// How many bytes that nobody sees take as long as one that is read.
    private static final int UNSEEN_BYTES = 4;

    private static final FastThreadLocal<Map<SessionId, Share>> SHARES =
            new FastThreadLocal<>() {
                @Override
                protected Map<SessionId, Share> initialValue() {
                    return new HashMap<>();
                }
            };

    private final SessionId session;
    private @Nullable Share share;
    private @Nullable ChannelHandlerContext context;
    private boolean wanted;
    private boolean asked;
    private boolean paid;

    public ReadTurns(SessionId session) {
        this.session = session;
    }

    /// Reads whatever comes from now on, or nothing more.
    static void reading(Channel channel, boolean wanted) {
        ReadTurns turns = channel.pipeline().get(ReadTurns.class);
        turns.wanted = wanted;
        if (wanted) {
            turns.ask();
        }
    }

    /// Bytes of this connection went on without passing through its pipeline.
    public static void unseen(Channel channel, int bytes) {
        ReadTurns turns = channel.pipeline().get(ReadTurns.class);
        if (turns != null && turns.share != null) {
            turns.share.used(bytes / UNSEEN_BYTES);
        }
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
        EventLoop loop = ctx.channel().eventLoop();
        share = SHARES.get().computeIfAbsent(session, _ -> new Share(loop));
        share.members++;
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        Share left = share;
        if (left != null && --left.members == 0) {
            SHARES.get().remove(session);
        }
    }

    @Override
    public void read(ChannelHandlerContext ctx) {
        ask();
    }

    private void ask() {
        Share own = share;
        if (!asked && own != null) {
            asked = true;
            own.ask(this);
        }
    }

    /// @param paid whether its bytes are counted already
    private void go(boolean paid) {
        ChannelHandlerContext ctx = context;
        this.paid = paid;
        if (ctx != null && !ctx.isRemoved() && canRead(ctx.channel())) {
            ctx.read();
        }
    }

    /// The other side may have ended while this one waited for its turn.
    private static boolean canRead(Channel channel) {
        boolean ended = channel instanceof DuplexChannel duplex && duplex.isInputShutdown();
        return channel.isOpen() && !ended;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        Company.ofGateway().seen(session);
        Share own = share;
        if (!paid && own != null) {
            int least = SHARES.get().size() == 1 ? LONE_READ_BYTES_MIN : READ_BYTES_MIN;
            own.used(Math.max(least, ((ByteBuf) message).readableBytes()));
        }
        paid = false;
        // Whoever gets it may ask for more at once.
        asked = false;
        ctx.fireChannelRead(message);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        ctx.fireChannelReadComplete();
        if (wanted) {
            ask();
        }
    }

    /// What one sandbox has of one event loop.
    private static final class Share {
        private final EventLoop loop;
        private final Deque<ReadTurns> line = new ArrayDeque<>();
        private int members;
        private int bytesLeft = TURN_BYTES;
        private boolean due;

        Share(EventLoop loop) {
            this.loop = loop;
        }

        void ask(ReadTurns one) {
            if (bytesLeft > 0 && line.isEmpty()) {
                one.go(false);
            } else {
                line.add(one);
                refillAfterTurn();
            }
        }

        /// While most is left, nobody waits, and a timer for each read would cost more than it.
        void used(int bytes) {
            bytesLeft -= bytes;
            if (bytesLeft <= TURN_BYTES / 2) {
                refillAfterTurn();
            }
        }

        /// Timers run after what the sockets have for the loop, and one that is set by a timer
        /// waits for the next time; a task would not.
        private void refillAfterTurn() {
            if (!due) {
                due = true;
                var _ = loop.schedule(this::refill, 0, TimeUnit.NANOSECONDS);
            }
        }

        private void refill() {
            due = false;
            bytesLeft = Math.min(TURN_BYTES, bytesLeft + TURN_BYTES);
            while (bytesLeft > 0 && !line.isEmpty()) {
                bytesLeft -= READ_BYTES;
                line.remove().go(true);
            }
            if (bytesLeft < TURN_BYTES) {
                refillAfterTurn();
            }
        }
    }
}

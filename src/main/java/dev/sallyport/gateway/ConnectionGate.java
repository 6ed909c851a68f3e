package dev.sallyport.gateway;

import dev.sallyport.http.Spare;
import io.github.bucket4j.Bucket;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Stands on a listener and stops accepting when its sandbox has enough connections, or makes them
/// too fast. What waits then waits in the backlog of that sandbox's own socket, where it costs
/// others nothing. A connection that waits itself makes room for a new one, see [Spare].
final class ConnectionGate extends ChannelInboundHandlerAdapter {
    private static final long PAUSE_MILLIS = 100;
    private static final long FULL_PAUSE_MILLIS = 1_000;

    /// What a sandbox can have open when the others together have reached the total.
    private static final int RESERVE = 8;

    /// How many connections a listener may have at once, and how many new ones per second.
    record Caps(int connectionsMax, int acceptsPerSecondMax) {}

    private final Caps caps;
    private final ConnectionTotal total;
    private final Bucket accepts;
    private final Runnable whenFree = this::reconsiderLater;
    private @Nullable ChannelHandlerContext context;
    private final Set<Channel> open = new LinkedHashSet<>();
    private final Set<Channel> evicted = new HashSet<>();
    private boolean tooFast;
    private boolean looksAgain;

    ConnectionGate(Caps caps, ConnectionTotal total) {
        this.caps = caps;
        this.total = total;
        this.accepts =
                Bucket.builder()
                        .addLimit(
                                limit ->
                                        limit.capacity(caps.connectionsMax())
                                                .refillGreedy(
                                                        caps.acceptsPerSecondMax(),
                                                        Duration.ofSeconds(1)))
                        .build();
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        total.forget(whenFree);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        Channel child = (Channel) message;
        Spare.mark(child, false);
        open.add(child);
        total.opened();
        child.closeFuture()
                .addListener(
                        _ -> {
                            total.closed();
                            ctx.executor().execute(() -> childClosed(child));
                        });
        if (open.size() > caps.connectionsMax()) {
            slowest().ifPresent(this::evict);
        }
        if (!accepts.tryConsume(1)) {
            rest(ctx);
        }
        reconsider();
        ctx.fireChannelRead(child);
    }

    private void childClosed(Channel child) {
        open.remove(child);
        evicted.remove(child);
        reconsider();
    }

    private Optional<Channel> slowest() {
        return Spare.slowest(open.stream().filter(child -> !evicted.contains(child)));
    }

    private void evict(Channel child) {
        evicted.add(child);
        Spare.close(child);
    }

    private void rest(ChannelHandlerContext ctx) {
        tooFast = true;
        var _ =
                ctx.executor()
                        .schedule(
                                () -> {
                                    tooFast = false;
                                    reconsider();
                                },
                                PAUSE_MILLIS,
                                TimeUnit.MILLISECONDS);
    }

    private void reconsiderLater() {
        ChannelHandlerContext ctx = context;
        if (ctx != null) {
            ctx.executor().execute(this::reconsider);
        }
    }

    private void lookAgain(ChannelHandlerContext ctx) {
        if (!looksAgain) {
            looksAgain = true;
            var _ =
                    ctx.executor()
                            .schedule(
                                    () -> {
                                        looksAgain = false;
                                        reconsider();
                                    },
                                    FULL_PAUSE_MILLIS,
                                    TimeUnit.MILLISECONDS);
        }
    }

    /// A sandbox with few connections is let in even when the total is reached, so that the others
    /// together cannot lock it out.
    private void reconsider() {
        ChannelHandlerContext ctx = context;
        if (ctx == null || ctx.isRemoved()) {
            return;
        }
        boolean full = open.size() >= caps.connectionsMax() && slowest().isEmpty();
        if (full) {
            lookAgain(ctx);
        }
        boolean crowded = open.size() >= RESERVE && total.isReached(whenFree);
        ctx.channel().config().setAutoRead(!full && !tooFast && !crowded);
    }
}

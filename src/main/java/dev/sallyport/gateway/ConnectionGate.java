package dev.sallyport.gateway;

import io.github.bucket4j.Bucket;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Stands on a listener and stops accepting when its sandbox has enough connections, or makes them
/// too fast. What waits then waits in the backlog of that sandbox's own socket, where it costs
/// others nothing.
final class ConnectionGate extends ChannelInboundHandlerAdapter {
    private static final long PAUSE_MILLIS = 100;

    /// How many connections a listener may have at once, and how many new ones per second.
    record Caps(int connectionsMax, int acceptsPerSecondMax) {}

    private final Caps caps;
    private final ConnectionTotal total;
    private final Bucket accepts;
    private final Runnable whenFree = this::reconsiderLater;
    private @Nullable ChannelHandlerContext context;
    private int open;
    private boolean tooFast;

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
        open++;
        total.opened();
        child.closeFuture()
                .addListener(
                        _ -> {
                            total.closed();
                            ctx.executor().execute(this::childClosed);
                        });
        if (!accepts.tryConsume(1)) {
            rest(ctx);
        }
        reconsider();
        ctx.fireChannelRead(child);
    }

    private void childClosed() {
        open--;
        reconsider();
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

    /// A sandbox without any connection is let in even when the total is reached, so that the
    /// others together cannot lock it out.
    private void reconsider() {
        ChannelHandlerContext ctx = context;
        if (ctx == null || ctx.isRemoved()) {
            return;
        }
        boolean crowded = open > 0 && total.isReached(whenFree);
        ctx.channel().config().setAutoRead(open < caps.connectionsMax() && !tooFast && !crowded);
    }
}

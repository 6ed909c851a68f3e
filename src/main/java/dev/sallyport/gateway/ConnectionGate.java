package dev.sallyport.gateway;

import dev.sallyport.http.Spare;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Stands on a listener and stops accepting when its sandbox has enough connections, or makes them
/// too fast. The one that finds no place waits here, unserved; those behind it wait in the backlog
/// of that sandbox's own socket, where they cost others nothing.
final class ConnectionGate extends ChannelInboundHandlerAdapter {
    private static final long TOO_FAST_PAUSE_MILLIS = 100;
    private static final long FULL_PAUSE_MILLIS = 1_000;

    /// What a sandbox can have open when the others together have reached the total.
    private static final int RESERVE = 8;

    private final ConnectionShare share;
    private final ConnectionTotal total;
    private final Runnable whenFree = this::lookLater;
    private final Queue<Channel> held = new ArrayDeque<>();
    private @Nullable ChannelHandlerContext context;
    private boolean looksAgain;

    /// @param share of the sandbox, which its other listeners have too
    ConnectionGate(ConnectionShare share, ConnectionTotal total) {
        this.share = share;
        this.total = total;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        total.forget(whenFree);
        share.forget(whenFree);
        held.forEach(child -> child.unsafe().closeForcibly());
        held.clear();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        Channel child = (Channel) message;
        Spare.mark(child, false);
        held.add(child);
        look();
    }

    private void look() {
        ChannelHandlerContext ctx = context;
        if (ctx == null || ctx.isRemoved()) {
            return;
        }
        while (!held.isEmpty() && admits(ctx, held.element())) {
            ctx.fireChannelRead(held.remove());
        }
        ctx.channel().config().setAutoRead(held.isEmpty());
    }

    /// A sandbox with few connections is let in even when the total is reached, so that the others
    /// together cannot lock it out.
    private boolean admits(ChannelHandlerContext ctx, Channel child) {
        if (share.size() >= RESERVE && total.isReached(whenFree)) {
            return false;
        }
        return switch (share.enter(child, whenFree)) {
            case IN -> {
                total.opened();
                child.closeFuture().addListener(_ -> closed(child));
                yield true;
            }
            case FULL -> {
                lookAgain(ctx, FULL_PAUSE_MILLIS);
                yield false;
            }
            case TOO_FAST -> {
                lookAgain(ctx, TOO_FAST_PAUSE_MILLIS);
                yield false;
            }
        };
    }

    private void closed(Channel child) {
        total.closed();
        share.left(child);
    }

    private void lookLater() {
        ChannelHandlerContext ctx = context;
        if (ctx != null) {
            ctx.executor().execute(this::look);
        }
    }

    /// One that waits may wait long enough by then to make room.
    private void lookAgain(ChannelHandlerContext ctx, long millis) {
        if (!looksAgain) {
            looksAgain = true;
            var _ =
                    ctx.executor()
                            .schedule(
                                    () -> {
                                        looksAgain = false;
                                        look();
                                    },
                                    millis,
                                    TimeUnit.MILLISECONDS);
        }
    }
}

package dev.sallyport.egress;

import dev.sallyport.credential.EchoException;
import dev.sallyport.credential.EchoGuard;
import dev.sallyport.http.Successor;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.Injection;
import dev.sallyport.policy.Inspection;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.Ask;
import dev.sallyport.session.LiveSession;
import dev.sallyport.upstream.WebOrder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.Future;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// A WebSocket after its handshake: bytes go both ways, and each side is read only while the other
/// takes what it is given. It ends when either side does, when nothing moves for too long, when its
/// time or a budget is used up, and when the session may not have it any more.
final class WebSocketRelay implements Successor {
    /// Until the sandbox's connection has left HTTP.
    private static final int TAKE_SECONDS_MAX = 10;

    private final WebTerms terms;
    private final Ask ask;
    private final WebOrder order;
    private final EgressPermit permit;
    private final EgressUse use;
    private final Optional<WebSocketGuard> guard;
    private final Channel up;
    private Policy policy;
    private @Nullable Channel down;
    private @Nullable Future<?> ticks;
    private ByteBuf early = Unpooled.EMPTY_BUFFER;
    private long seconds;
    private int idleSeconds;
    private boolean over;

    WebSocketRelay(
            WebTerms terms,
            Ask ask,
            WebOrder order,
            EgressUse use,
            Optional<EchoGuard> guard,
            Channel up) {
        this.terms = terms;
        this.ask = ask;
        this.order = order;
        this.permit = order.permit();
        this.use = use;
        this.guard = guard.map(WebSocketGuard::new);
        this.up = up;
        this.policy = ask.session().policy();
    }

    /// The host is there; the sandbox has yet to be told.
    ///
    /// @param unread what the host has said; ownership passes
    void await(ByteBuf unread) {
        early = unread;
        ticks = up.eventLoop().scheduleWithFixedDelay(this::tick, 1, 1, TimeUnit.SECONDS);
        up.closeFuture().addListener(_ -> end("closed"));
    }

    @Override
    public void take(Channel channel, ByteBuf unread) {
        if (over) {
            unread.release();
            var _ = channel.close();
            return;
        }
        down = channel;
        channel.closeFuture().addListener(_ -> end("closed"));
        Side upward = new Side(channel, up, this::upward);
        Side downward = new Side(up, channel, this::downward);
        channel.pipeline().addLast("websocket", upward);
        up.pipeline().addLast("websocket", downward);
        ByteBuf first = early;
        early = Unpooled.EMPTY_BUFFER;
        downward.begin(first);
        upward.begin(unread);
    }

    /// What of a piece may be passed on; takes ownership.
    private interface Check {
        ByteBuf pass(ByteBuf piece);
    }

    private ByteBuf upward(ByteBuf piece) {
        return use.up(piece.readableBytes()) ? piece : refused(piece, Refusal.BUDGET_SPENT);
    }

    private ByteBuf downward(ByteBuf piece) {
        ByteBuf clear = piece;
        try {
            clear = guard.isPresent() ? guard.get().pass(piece) : piece;
        } catch (EchoException | WebSocketGuard.BadFrameException _) {
            return refused(Unpooled.EMPTY_BUFFER, Refusal.UPSTREAM_MISBEHAVED);
        }
        return use.down(clear.readableBytes()) ? clear : refused(clear, Refusal.BUDGET_SPENT);
    }

    private ByteBuf refused(ByteBuf piece, Refusal reason) {
        piece.release();
        cut(reason);
        return Unpooled.EMPTY_BUFFER;
    }

    private void tick() {
        use.report();
        seconds++;
        idleSeconds++;
        if (idleSeconds >= terms.limits().tunnelIdleSecondsMax()) {
            end("idle");
        } else if (down == null && seconds >= TAKE_SECONDS_MAX) {
            end("not-taken");
        } else if (seconds >= terms.limits().tunnelSecondsMax()) {
            end("time-limit");
        } else if (policy != terms.session().get().policy()) {
            reconsider();
        }
    }

    /// Changed rights hold for what is running, too: the request is judged again, as a whole. The
    /// connection was made with one secret and to one place, which have to be the same as well.
    private void reconsider() {
        LiveSession now = terms.session().get();
        policy = now.policy();
        switch (new WebJudge(permit, order.tls()).judge(now, ask.head())) {
            case Judgement.Denied denied -> cut(denied.reason());
            case Judgement.Allowed allowed -> {
                if (!injection(allowed.permit()).equals(injection(permit))) {
                    cut(Refusal.CREDENTIAL_NOT_ALLOWED);
                } else if (!allowed.permit().reach().equals(permit.reach())) {
                    cut(Refusal.ADDRESS_NOT_ALLOWED);
                }
            }
        }
    }

    private static Optional<Injection> injection(EgressPermit permit) {
        return permit.inspection().flatMap(Inspection::injection);
    }

    private void cut(Refusal reason) {
        if (!over) {
            terms.audit().cut(ask, permit, reason);
            end(reason.code());
        }
    }

    private void end(String why) {
        if (over) {
            return;
        }
        over = true;
        Future<?> running = ticks;
        if (running != null) {
            running.cancel(false);
        }
        early.release();
        guard.ifPresent(WebSocketGuard::release);
        use.close();
        terms.audit().ended(ask, permit, why, use, seconds);
        closeAfterwards(up);
        Channel sandbox = down;
        if (sandbox != null) {
            closeAfterwards(sandbox);
        }
    }

    /// What is on its way still goes out.
    private static void closeAfterwards(Channel channel) {
        channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
    }

    /// One direction, at the end where its bytes come from.
    private final class Side extends ChannelInboundHandlerAdapter {
        private final Channel source;
        private final Channel sink;
        private final Check check;

        Side(Channel source, Channel sink, Check check) {
            this.source = source;
            this.sink = sink;
            this.check = check;
        }

        /// What was read already does not come through the pipeline, where TLS may be.
        void begin(ByteBuf piece) {
            pass(piece);
            flush();
        }

        private void pass(ByteBuf piece) {
            idleSeconds = 0;
            if (over) {
                piece.release();
            } else {
                var _ = sink.write(check.pass(piece));
            }
        }

        private void flush() {
            sink.flush();
            demand();
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            pass((ByteBuf) message);
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext ctx) {
            flush();
        }

        private void demand() {
            if (!over && sink.isWritable()) {
                source.read();
            }
        }

        /// The source is also where the other direction goes to.
        @Override
        public void channelWritabilityChanged(ChannelHandlerContext ctx) {
            if (!over && source.isWritable()) {
                sink.read();
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            end("reset");
        }
    }
}

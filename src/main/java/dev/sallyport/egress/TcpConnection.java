package dev.sallyport.egress;

import dev.sallyport.audit.Recorder;
import dev.sallyport.policy.Decision;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.EarlyBytes;
import dev.sallyport.relay.Flow;
import dev.sallyport.relay.RightsWatch;
import dev.sallyport.relay.Tunnel;
import dev.sallyport.upstream.UpstreamException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// A connection to a port for which a rule allows any protocol. What is said there is between its
/// ends; that it is there, to whom, and how much passes is in the record and in the budget, as for
/// every tunnel. It is judged and recorded before anything is dialled.
public final class TcpConnection extends ChannelInboundHandlerAdapter implements Tunnel.Grounds {
    private final EgressTerms terms;
    private final Attempt attempt;
    private final Channel down;
    private final EarlyBytes early;
    private Optional<EgressUse> use = Optional.empty();
    private Optional<EgressPermit> permit = Optional.empty();
    private Optional<RightsWatch> rights = Optional.empty();
    private @Nullable CompletableFuture<Channel> dialling;
    private boolean over;

    private TcpConnection(EgressTerms terms, Attempt attempt, Channel down, ByteBuf early) {
        this.terms = terms;
        this.attempt = attempt;
        this.down = down;
        this.early = new EarlyBytes(early);
    }

    /// For a connection to the address that stands for `host`, which has just been accepted.
    public static TcpConnection transparent(
            EgressTerms terms, HostName host, int port, Channel channel) {
        return new TcpConnection(
                terms,
                Attempt.of(Attempt.Entrance.TRANSPARENT, host, port),
                channel,
                Unpooled.EMPTY_BUFFER);
    }

    /// Goes on with a connection whose `CONNECT` was answered.
    ///
    /// @param unread what came with the `CONNECT`; ownership passes
    static void afterConnect(EgressTerms terms, Attempt attempt, Channel channel, ByteBuf unread) {
        TcpConnection connection = new TcpConnection(terms, attempt, channel, unread);
        channel.pipeline().addLast("tcp", connection);
        connection.begin();
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        begin();
    }

    private void begin() {
        down.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
        rights = Optional.of(new RightsWatch(terms.session(), terms.session().get().policy()));
        switch (terms.decide(attempt)) {
            case Decision.Deny<EgressPermit>(Refusal refusal) -> refuse(refusal);
            case Decision.Allow<EgressPermit>(EgressPermit allowed) -> {
                if (allowed.isTcp()) {
                    clear(allowed);
                } else {
                    refuse(Refusal.BAD_HELLO);
                }
            }
        }
    }

    private void clear(EgressPermit allowed) {
        permit = Optional.of(allowed);
        use = terms.budget().open(allowed.host());
        if (use.filter(EgressUse::request).isEmpty()) {
            refuse(Refusal.BUDGET_SPENT);
            return;
        }
        var _ =
                terms.audit()
                        .allowed(attempt, allowed, "")
                        .whenComplete(
                                (_, problem) ->
                                        down.eventLoop().execute(() -> recorded(allowed, problem)));
    }

    private void recorded(EgressPermit allowed, @Nullable Throwable problem) {
        if (over) {
            return;
        }
        if (problem != null) {
            refuse(Recorder.refusal(problem));
            return;
        }
        CompletableFuture<Channel> dialled = terms.dialer().dial(allowed, down.eventLoop());
        dialling = dialled;
        var _ = dialled.whenComplete((up, failure) -> dialled(up, failure));
    }

    private void dialled(@Nullable Channel up, @Nullable Throwable failure) {
        dialling = null;
        if (over) {
            if (up != null) {
                var _ = up.close();
            }
            return;
        }
        if (up == null) {
            Refusal why = failure instanceof UpstreamException e ? e.refusal() : Refusal.INTERNAL;
            terms.audit().ended(attempt, why.code(), 0, 0, 0);
            give();
            return;
        }
        open(use.orElseThrow(), up);
    }

    private void open(EgressUse tunnelled, Channel up) {
        up.config().setRecvByteBufAllocator(new FixedRecvByteBufAllocator(Flow.READ_BYTES));
        up.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
        over = true;
        down.pipeline().remove(this);
        Tunnel tunnel = new Tunnel(tunnelled.tunnel(terms.limits()), this, down, up);
        tunnel.upward().passUnseen();
        tunnel.downward().passUnseen();
        early.passOn(down, tunnel.upward(), up);
        tunnel.upward().open();
        tunnel.downward().open();
    }

    private void refuse(Refusal refusal) {
        terms.audit().refused(attempt, refusal, Map.of());
        give();
    }

    /// Nothing comes of it.
    private void give() {
        if (over) {
            return;
        }
        over = true;
        CompletableFuture<Channel> running = dialling;
        if (running != null) {
            terms.audit().ended(attempt, "closed", 0, 0, 0);
            running.cancel(false);
        }
        early.release();
        use.ifPresent(EgressUse::close);
        var _ = down.close();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        early.add(ctx.alloc(), (ByteBuf) message);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            early.end();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        give();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        give();
    }

    /// It must still be allowed any protocol, and be reached in the same way.
    @Override
    public Optional<Refusal> objection() {
        return rights.flatMap(RightsWatch::changed)
                .flatMap(
                        now ->
                                attempt.objection(
                                        now, permit.orElseThrow().reach(), TcpConnection::change));
    }

    private static Optional<Refusal> change(EgressPermit held) {
        return held.isTcp() ? Optional.empty() : Optional.of(Refusal.PORT_NOT_ALLOWED);
    }

    @Override
    public ByteBuf clear(ByteBuf bytes) {
        return bytes;
    }

    @Override
    public void cut(Refusal reason) {
        terms.audit().cut(attempt, reason);
    }

    @Override
    public void ended(String why, long seconds) {
        EgressUse used = use.orElseThrow();
        terms.audit().ended(attempt, why, used.bytesUp(), used.bytesDown(), seconds);
    }
}

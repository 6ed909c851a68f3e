package dev.sallyport.egress;

import dev.sallyport.policy.Decision;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.Refusal;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// A sandbox and a host whose bytes go to each other unread. Both connections are on one event
/// loop. It ends when both have ended, when nothing moves for too long, when its time or a budget
/// is used up, and when the session may not reach the host any more.
///
/// Until the host has answered, nothing of the sandbox but its hello goes through: the host may ask
/// for a second hello, and that has to name the same host as the first (RFC 8446, section 4.1.4).
final class Tunnel {
    private static final Logger LOG = System.getLogger(Tunnel.class.getName());
    private static final int READ_BYTES_MAX = 256 * 1_024;

    private final EgressTerms terms;
    private final Attempt attempt;
    private final EgressPermit permit;
    private final EgressUse use;
    private final Channel down;
    private final Channel up;
    private final Flow upward;
    private final Flow downward;
    private Policy policy;
    private ByteBuf early = Unpooled.EMPTY_BUFFER;
    private @Nullable Future<?> ticks;
    private String why = "closed";
    private long seconds;
    private int idleSeconds;
    private int shut;
    private boolean over;

    /// Why there is a tunnel.
    ///
    /// @param policy that the permit is from
    record Grounds(Attempt attempt, EgressPermit permit, Policy policy) {}

    Tunnel(EgressTerms terms, Grounds grounds, EgressUse use, Channel down, Channel up) {
        this.terms = terms;
        this.attempt = grounds.attempt();
        this.permit = grounds.permit();
        this.policy = grounds.policy();
        this.use = use;
        this.down = down;
        this.up = up;
        this.upward = new Flow(this, down, up, use::up);
        this.downward = new Flow(this, up, down, use::down);
    }

    /// @param bytes begin with the hello; ownership passes
    void open(ClientHello.Hello hello, ByteBuf bytes) {
        early = bytes;
        up.config()
                .setRecvByteBufAllocator(
                        new AdaptiveRecvByteBufAllocator(512, 16 * 1_024, READ_BYTES_MAX));
        up.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
        down.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
        down.pipeline().addLast("flow", upward);
        up.pipeline().addLast("answer", new AnswerWatch(this)).addLast("flow", downward);
        ticks = down.eventLoop().scheduleWithFixedDelay(this::tick, 1, 1, TimeUnit.SECONDS);
        if (!use.up(hello.bytes())) {
            cut(Refusal.BUDGET_SPENT);
            return;
        }
        var _ = up.writeAndFlush(bytes.readRetainedSlice(hello.bytes()), up.voidPromise());
        downward.open();
    }

    /// The first of the host's bytes are there.
    void answered(ServerAnswer answer) {
        if (over) {
            return;
        }
        switch (answer) {
            case NEED_MORE -> {}
            case HELLO_AGAIN -> {
                int bytesMax = terms.limits().helloBytesMax();
                down.pipeline()
                        .addBefore(
                                "flow", "hello", new SecondHello(this, attempt.host(), bytesMax));
                letThrough();
            }
            case OTHER -> letThrough();
            case STRANGE -> cut(Refusal.UPSTREAM_MISBEHAVED);
        }
    }

    private void letThrough() {
        ByteBuf bytes = early;
        early = Unpooled.EMPTY_BUFFER;
        if (bytes.isReadable()) {
            down.pipeline().fireChannelRead(bytes).fireChannelReadComplete();
        } else {
            bytes.release();
        }
        upward.open();
    }

    Flow opposite(Flow flow) {
        return flow == upward ? downward : upward;
    }

    void moved() {
        idleSeconds = 0;
    }

    private void tick() {
        use.report();
        seconds++;
        idleSeconds++;
        if (idleSeconds >= terms.limits().tunnelIdleSecondsMax()) {
            end("idle");
        } else if (seconds >= terms.limits().tunnelSecondsMax()) {
            end("time-limit");
        } else if (policy != terms.session().get().policy()) {
            reconsider();
        }
    }

    /// Changed rights hold for what is running, too. The host must still be one that is tunnelled
    /// to, and reached in the same way.
    private void reconsider() {
        policy = terms.session().get().policy();
        switch (policy.decide(attempt.host(), attempt.port())) {
            case Decision.Deny<EgressPermit>(Refusal refusal) -> cut(refusal);
            case Decision.Allow<EgressPermit>(EgressPermit now) -> {
                if (now.inspection().isPresent()) {
                    cut(Refusal.URL_NOT_ALLOWED);
                } else if (!now.reach().equals(permit.reach())) {
                    cut(Refusal.ADDRESS_NOT_ALLOWED);
                }
            }
        }
    }

    /// One direction has come to its end, and the end has been passed on.
    void shut() {
        if (++shut == 2) {
            end(why);
        }
    }

    /// One side is gone; the other goes as soon as it has what was meant for it.
    void gone() {
        if (!down.isActive() && !up.isActive()) {
            end(why);
        }
    }

    void failed(Throwable cause) {
        why = "reset";
        if (!(cause instanceof IOException)) {
            LOG.log(Level.ERROR, "a tunnel failed inside the gateway", cause);
        }
    }

    void cut(Refusal reason) {
        if (!over) {
            terms.audit().cut(attempt, reason);
            end(reason.code());
        }
    }

    private void end(String reason) {
        if (over) {
            return;
        }
        over = true;
        Future<?> running = ticks;
        if (running != null) {
            running.cancel(false);
        }
        early.release();
        early = Unpooled.EMPTY_BUFFER;
        var _ = down.close();
        var _ = up.close();
        use.close();
        terms.audit().ended(attempt, reason, use.bytesUp(), use.bytesDown(), seconds);
    }
}

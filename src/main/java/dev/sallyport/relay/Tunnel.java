package dev.sallyport.relay;

import dev.sallyport.policy.Refusal;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/// A sandbox and a host whose bytes go to each other. Both connections are on one event loop. It
/// ends when both have ended, when nothing moves for too long, when its time or a budget is used
/// up, and when the session may not have it any more.
public final class Tunnel {
    private static final Logger LOG = System.getLogger(Tunnel.class.getName());

    /// Why there is one, and what is particular about it.
    public interface Grounds {
        /// What is against it by now; asked about once a second.
        Optional<Refusal> objection();

        /// What may go to the sandbox now of what the host has said; takes ownership.
        ByteBuf clear(ByteBuf bytes) throws RefusedException;

        /// It is ended by us, against the sandbox's wish.
        void cut(Refusal reason);

        /// It is over.
        void ended(String why, long seconds);
    }

    /// How long it may last, and who counts what passes.
    public record Terms(int idleSecondsMax, int secondsMax, Account use) {}

    private final Terms terms;
    private final Grounds grounds;
    private final Channel down;
    private final Channel up;
    private final Flow upward;
    private final Flow downward;
    private final Future<?> ticks;
    private String why = "closed";
    private long seconds;
    private int idleSeconds;
    private int shut;
    private boolean over;

    public Tunnel(Terms terms, Grounds grounds, Channel down, Channel up) {
        this.terms = terms;
        this.grounds = grounds;
        this.down = down;
        this.up = up;
        this.upward = new Flow(this, down, up, bytes -> bytes, terms.use()::up);
        this.downward = new Flow(this, up, down, grounds::clear, terms.use()::down);
        down.pipeline().addLast("flow", upward);
        up.pipeline().addLast("flow", downward);
        this.ticks = down.eventLoop().scheduleWithFixedDelay(this::tick, 1, 1, TimeUnit.SECONDS);
    }

    /// From the sandbox to the host.
    public Flow upward() {
        return upward;
    }

    /// From the host to the sandbox.
    public Flow downward() {
        return downward;
    }

    Flow opposite(Flow flow) {
        return flow == upward ? downward : upward;
    }

    public boolean isOver() {
        return over;
    }

    void moved() {
        idleSeconds = 0;
    }

    private void tick() {
        terms.use().report();
        seconds++;
        idleSeconds++;
        if (idleSeconds >= terms.idleSecondsMax()) {
            end("idle");
        } else if (seconds >= terms.secondsMax()) {
            end("time-limit");
        } else {
            grounds.objection().ifPresent(this::cut);
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

    public void cut(Refusal reason) {
        if (!over) {
            grounds.cut(reason);
            end(reason.code());
        }
    }

    private void end(String reason) {
        if (over) {
            return;
        }
        over = true;
        ticks.cancel(false);
        var _ = down.close();
        var _ = up.close();
        upward.end();
        downward.end();
        terms.use().over(true);
        grounds.ended(reason, seconds);
    }
}

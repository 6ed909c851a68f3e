package dev.sallyport.upstream;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Calls out when nothing has happened for too long. At most one timer exists at a time; a sign of
/// progress only notes the time, so that it costs nothing per piece.
final class ProgressWatch {
    private final EventLoop loop;
    private final Runnable expired;
    private long limitNanos;
    private long lastProgressNanos;
    private @Nullable Future<?> timer;

    ProgressWatch(EventLoop loop, Runnable expired) {
        this.loop = loop;
        this.expired = expired;
    }

    /// From now on, something has to happen every `seconds`.
    void expectWithin(int seconds) {
        stop();
        limitNanos = TimeUnit.SECONDS.toNanos(seconds);
        lastProgressNanos = System.nanoTime();
        arm(limitNanos);
    }

    void progress() {
        lastProgressNanos = System.nanoTime();
    }

    /// Nothing is expected of upstream for now.
    void stop() {
        if (timer != null) {
            timer.cancel(false);
            timer = null;
        }
    }

    private void arm(long nanos) {
        timer = loop.schedule(this::check, nanos, TimeUnit.NANOSECONDS);
    }

    private void check() {
        long remaining = limitNanos - (System.nanoTime() - lastProgressNanos);
        if (remaining > 0) {
            arm(remaining);
        } else {
            timer = null;
            expired.run();
        }
    }
}

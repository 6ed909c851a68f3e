package dev.sallyport.upstream;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Calls out when nothing has happened for too long. There is at most one timer, which is set again
/// only when it fires or would fire too late: what is expected, and signs of progress, are only
/// noted, and so cost nothing per request and per piece.
final class ProgressWatch {
    private final EventLoop loop;
    private final Runnable expired;
    private long limitNanos;
    private long lastProgressNanos;
    private boolean expecting;
    private long timerNanos;
    private @Nullable Future<?> timer;

    ProgressWatch(EventLoop loop, Runnable expired) {
        this.loop = loop;
        this.expired = expired;
    }

    /// From now on, something has to happen every `seconds`.
    void expectWithin(int seconds) {
        expecting = true;
        limitNanos = TimeUnit.SECONDS.toNanos(seconds);
        lastProgressNanos = System.nanoTime();
        if (timer == null || timerNanos - (lastProgressNanos + limitNanos) > 0) {
            arm(limitNanos);
        }
    }

    void progress() {
        lastProgressNanos = System.nanoTime();
    }

    /// Nothing is expected for now.
    void stop() {
        expecting = false;
    }

    /// Nothing will be expected again.
    void end() {
        expecting = false;
        cancel();
    }

    private void cancel() {
        if (timer != null) {
            timer.cancel(false);
            timer = null;
        }
    }

    private void arm(long nanos) {
        cancel();
        timerNanos = System.nanoTime() + nanos;
        timer = loop.schedule(this::check, nanos, TimeUnit.NANOSECONDS);
    }

    private void check() {
        timer = null;
        if (!expecting) {
            return;
        }
        long remaining = limitNanos - (System.nanoTime() - lastProgressNanos);
        if (remaining > 0) {
            arm(remaining);
        } else {
            expecting = false;
            expired.run();
        }
    }
}

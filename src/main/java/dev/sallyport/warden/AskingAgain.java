package dev.sallyport.warden;

import java.time.Duration;

/// Lets many wait for the same thing, such as a lease that runs out, while one at a time asks
/// whether it is there. A gateway counts what a machine asks for.
final class AskingAgain {
    private final Duration pause;
    private boolean taken;
    private long heard;

    /// @param pause between two questions, whoever asks
    AskingAgain(Duration pause) {
        this.pause = pause;
    }

    /// Waits until it is the caller's turn to ask, or somebody else was heard.
    ///
    /// @param latest by [System#nanoTime]
    synchronized void turn(long latest) throws InterruptedException {
        long before = heard;
        while (taken && heard == before && left(latest) > 0) {
            wait(left(latest));
        }
        if (heard != before || left(latest) <= 0) {
            return;
        }
        taken = true;
        try {
            long until = System.nanoTime() + pause.toNanos();
            while (heard == before && left(until) > 0) {
                wait(left(until));
            }
        } finally {
            taken = false;
            notifyAll();
        }
    }

    /// In milliseconds, at least one as long as there is time left.
    private static long left(long until) {
        long nanos = until - System.nanoTime();
        return nanos <= 0 ? 0 : Math.max(1, Duration.ofNanos(nanos).toMillis());
    }

    /// Somebody got what was asked for: all may ask.
    synchronized void heard() {
        heard++;
        notifyAll();
    }
}

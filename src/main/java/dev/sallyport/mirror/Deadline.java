package dev.sallyport.mirror;

import java.util.concurrent.TimeUnit;

/// When a refresh must be over, on the clock of [System#nanoTime].
record Deadline(long nanos) {
    static Deadline in(long seconds) {
        return new Deadline(System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds));
    }

    long remainingNanos() {
        return Math.max(0, nanos - System.nanoTime());
    }

    boolean hasPassed() {
        return remainingNanos() == 0;
    }
}

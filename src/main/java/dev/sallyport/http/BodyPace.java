package dev.sallyport.http;

import dev.sallyport.config.Limits;

/// Tells a slow body from one that dribbles to hold a place. Only seconds in which we were ready to
/// read count.
final class BodyPace {
    private final Limits.Http limits;
    private int idleSeconds;
    private int windowSeconds;
    private long windowBytes;

    BodyPace(Limits.Http limits) {
        this.limits = limits;
    }

    void arrived(int bytes) {
        idleSeconds = 0;
        windowBytes += bytes;
    }

    /// False when the body is too slow. The least rate is judged over windows as long as the
    /// longest allowed pause, so that one pause alone does not break it.
    boolean survivesSecond() {
        windowSeconds++;
        if (++idleSeconds >= limits.bodyIdleSecondsMax()) {
            return false;
        }
        if (windowSeconds < limits.bodyIdleSecondsMax()) {
            return true;
        }
        boolean fast = windowBytes >= (long) limits.bodyBytesPerSecondMin() * windowSeconds;
        windowSeconds = 0;
        windowBytes = 0;
        return fast;
    }
}

package dev.sallyport.push;

import dev.sallyport.policy.Refusal;
import java.time.Duration;

/// Until when a push must be judged, and until when its place is its own ([Slice]). Whoever loops
/// over what a sandbox sent asks it again and again; an interruption of the thread that judges
/// counts as the end, too. Whoever helps that thread may ask as well.
final class Deadline {
    private static final int STEPS_BETWEEN_LOOKS = 256;

    private final long end;
    private final Slice slice;
    private final Thread judging = Thread.currentThread();
    private long sliceEnd;
    private boolean sliceOver;
    private boolean stopped;
    private int steps;

    private Deadline(long end, Slice slice) {
        this.end = end;
        this.slice = slice;
        this.sliceEnd = System.nanoTime() + slice.length().toNanos();
    }

    static Deadline in(Duration time, Slice slice) {
        return new Deadline(System.nanoTime() + time.toNanos(), slice);
    }

    synchronized boolean hasPassed() {
        long now = System.nanoTime();
        if (!sliceOver && now - sliceEnd > 0) {
            sliceOver = !slice.renew();
            sliceEnd = now + slice.length().toNanos();
        }
        return sliceOver || stopped || judging.isInterrupted() || now - end > 0;
    }

    boolean isAlone() {
        return slice.isAlone();
    }

    /// The thread that judges was interrupted, even if it no longer looks so.
    synchronized void stop() {
        stopped = true;
    }

    /// Whether others got the place before the time was over.
    synchronized boolean isSliceOver() {
        return sliceOver;
    }

    void check() {
        if (hasPassed()) {
            throw new PushRefusedException(
                    Refusal.JUDGEMENT_TIMEOUT, "judging took longer than allowed");
        }
    }

    /// To be called when something ended early: whether it was told to.
    void failIfStopped() throws InterruptedException, Slice.OverException {
        if (Thread.interrupted()) {
            throw new InterruptedException("while a push was judged");
        }
        if (isSliceOver()) {
            throw new Slice.OverException();
        }
    }

    /// For steps of less than a microsecond: looks at the clock only now and then.
    void step() {
        if (++steps >= STEPS_BETWEEN_LOOKS) {
            steps = 0;
            check();
        }
    }
}

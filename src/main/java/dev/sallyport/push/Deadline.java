package dev.sallyport.push;

import dev.sallyport.policy.Refusal;
import java.util.concurrent.TimeUnit;
import org.eclipse.jgit.lib.EmptyProgressMonitor;
import org.eclipse.jgit.lib.ProgressMonitor;

/// Until when a push must be judged, and until when its place is its own ([Slice]). Whoever loops
/// over what a sandbox sent asks it again and again; an interruption of the thread counts as the
/// end, too.
final class Deadline {
    private static final int STEPS_BETWEEN_LOOKS = 256;

    private final long end;
    private final Slice slice;
    private long sliceEnd;
    private boolean sliceOver;
    private int steps;

    private Deadline(long end, Slice slice) {
        this.end = end;
        this.slice = slice;
        this.sliceEnd = System.nanoTime() + slice.length().toNanos();
    }

    static Deadline in(int seconds, Slice slice) {
        return new Deadline(System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds), slice);
    }

    boolean hasPassed() {
        long now = System.nanoTime();
        if (!sliceOver && now - sliceEnd > 0) {
            sliceOver = !slice.renew();
            sliceEnd = now + slice.length().toNanos();
        }
        return sliceOver || Thread.currentThread().isInterrupted() || now - end > 0;
    }

    /// Whether others got the place before the time was over.
    boolean isSliceOver() {
        return sliceOver;
    }

    void check() {
        if (hasPassed()) {
            throw new PushRefusedException(
                    Refusal.JUDGEMENT_TIMEOUT, "judging took longer than allowed");
        }
    }

    /// For steps of less than a microsecond: looks at the clock only now and then.
    void step() {
        if (++steps >= STEPS_BETWEEN_LOOKS) {
            steps = 0;
            check();
        }
    }

    /// JGit's parser tells this about every object.
    ProgressMonitor monitor() {
        return new EmptyProgressMonitor() {
            @Override
            public void update(int completed) {
                step();
            }

            @Override
            public boolean isCancelled() {
                return hasPassed();
            }
        };
    }
}

package dev.sallyport.push;

import dev.sallyport.policy.Refusal;
import java.util.concurrent.TimeUnit;
import org.eclipse.jgit.lib.EmptyProgressMonitor;
import org.eclipse.jgit.lib.ProgressMonitor;

/// Until when a push must be judged. Whoever loops over what a sandbox sent asks it again and
/// again; an interruption of the thread counts as the end, too.
final class Deadline {
    private static final int STEPS_BETWEEN_LOOKS = 256;

    private final long end;
    private int steps;

    private Deadline(long end) {
        this.end = end;
    }

    static Deadline in(int seconds) {
        return new Deadline(System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds));
    }

    boolean hasPassed() {
        return Thread.currentThread().isInterrupted() || System.nanoTime() - end > 0;
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

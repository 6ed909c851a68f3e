package dev.sallyport.git;

import dev.sallyport.config.Limits;
import dev.sallyport.push.Slice;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;

/// Who is judged now. A judgement holds much memory, so there are few places; since
/// [dev.sallyport.relay.JudgeQueue] has one push of each sandbox in hand, first come first served
/// is a round of the sandboxes.
///
/// All places but one may be held for long, and only those take large packs: a small push never
/// waits for a large one. A small pack can be long work too. When its slice is over it stands in
/// line with the large ones, unless it can have one of their places at once.
///
/// Those take turns as well: a push whose slice is over while others wait begins again when its
/// turn has come. Each new turn has a slice twice as long, so that beginning again at most doubles
/// the work.
final class JudgePlaces {
    /// Enough to judge a pack of more than a hundred megabytes.
    static final Duration FIRST_SLICE = Duration.ofSeconds(5);

    /// So much shorter is the first slice of a small pack; nearly all are judged in a tenth of it.
    private static final int SMALL_PART = 5;

    /// One attempt at a judgement.
    interface Attempt<T> {
        T run(Slice slice) throws IOException, InterruptedException, Slice.OverException;
    }

    private final long smallBytesMax;
    private final Duration firstSlice;
    private final int max;
    private final Semaphore all;
    private final Semaphore lasting;

    JudgePlaces(Limits.Push limits, Duration firstSlice) {
        this.smallBytesMax = limits.smallPackBytesMax();
        this.firstSlice = firstSlice;
        this.max = limits.judgementsTotalMax();
        this.all = new Semaphore(limits.judgementsTotalMax(), true);
        this.lasting = new Semaphore(limits.judgementsTotalMax() - 1, true);
    }

    /// How many places are taken.
    int taken() {
        return max - all.availablePermits();
    }

    int max() {
        return max;
    }

    /// Makes attempts until one is not stopped.
    ///
    /// @param alone whether nobody else wants the processors
    <T> T run(long packBytes, BooleanSupplier alone, Attempt<T> attempt)
            throws IOException, InterruptedException {
        try (Turn turn = new Turn(packBytes <= smallBytesMax, alone)) {
            while (true) {
                turn.begin();
                try {
                    return attempt.run(turn);
                } catch (Slice.OverException _) {
                    turn.stepBack();
                }
            }
        }
    }

    private final class Turn implements Slice, AutoCloseable {
        private final BooleanSupplier alone;
        private Duration length;
        private boolean small;
        private boolean placed;
        private boolean lasts;

        Turn(boolean small, BooleanSupplier alone) {
            this.alone = alone;
            this.small = small;
            this.length = small ? firstSlice.dividedBy(SMALL_PART) : firstSlice;
        }

        void begin() throws InterruptedException {
            if (!small) {
                lasting.acquire();
                lasts = true;
            }
            all.acquire();
            placed = true;
        }

        @Override
        public Duration length() {
            return length;
        }

        @Override
        public boolean renew() {
            if (lasting.hasQueuedThreads()) {
                return false;
            }
            lasts = lasts || lasting.tryAcquire();
            return lasts;
        }

        @Override
        public boolean isAlone() {
            return alone.getAsBoolean();
        }

        void stepBack() {
            close();
            small = false;
            length = length.multipliedBy(2);
        }

        @Override
        public void close() {
            if (placed) {
                all.release();
            }
            if (lasts) {
                lasting.release();
            }
            placed = false;
            lasts = false;
        }
    }
}

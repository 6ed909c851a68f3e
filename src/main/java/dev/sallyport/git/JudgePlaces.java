package dev.sallyport.git;

import dev.sallyport.push.Slice;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Semaphore;

/// Who is judged now. A judgement holds much memory, so there are few places; since [JudgeQueue]
/// has one push of each sandbox in hand, first come first served is a round of the sandboxes.
///
/// All places but one may be kept for long. A push whose first slice is over keeps its place when
/// it can be one of those; else it begins again when its turn has come, so that a bystander's small
/// push waits for a slice of others at most, however long their pushes take. Long ones take turns
/// in the same way. Each new turn has a slice twice as long, so that beginning again at most
/// doubles the work.
final class JudgePlaces {
    /// Enough to judge a pack of more than a hundred megabytes.
    static final Duration FIRST_SLICE = Duration.ofSeconds(5);

    /// One attempt at a judgement.
    interface Attempt<T> {
        T run(Slice slice) throws IOException, InterruptedException, Slice.OverException;
    }

    private final Duration firstSlice;
    private final Semaphore all;
    private final Semaphore lasting;

    /// @param places at least 2
    JudgePlaces(int places, Duration firstSlice) {
        this.firstSlice = firstSlice;
        this.all = new Semaphore(places, true);
        this.lasting = new Semaphore(places - 1, true);
    }

    /// Makes attempts until one is not stopped.
    <T> T run(Attempt<T> attempt) throws IOException, InterruptedException {
        try (Turn turn = new Turn()) {
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
        private Duration length = firstSlice;
        private boolean stopped;
        private boolean placed;
        private boolean lasts;

        void begin() throws InterruptedException {
            if (stopped) {
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

        void stepBack() {
            close();
            stopped = true;
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

package dev.sallyport.push;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/// Threads that help whoever reads a pack: one less than there are processors, for all readings
/// together. What they have no time for is done by the reader itself, so nobody ever waits for
/// somebody else's work. For a reader who is not alone one helper less works, so that a processor
/// is left for what is not a pack.
final class WorkShare {
    private static final int IDLE_SECONDS = 10;

    private final ThreadPoolExecutor helpers;
    private final AtomicInteger given = new AtomicInteger();
    private final int others;

    /// @param threads that work on one pack at the same time, its reader included
    WorkShare(int threads) {
        this.others = Math.max(1, threads - 1);
        this.helpers =
                new ThreadPoolExecutor(
                        others,
                        others,
                        IDLE_SECONDS,
                        TimeUnit.SECONDS,
                        new ArrayBlockingQueue<>(2 * others),
                        Thread.ofPlatform().daemon().name("judge-help-", 1).factory());
        helpers.allowCoreThreadTimeOut(true);
    }

    static WorkShare ofMachine() {
        return new WorkShare(Runtime.getRuntime().availableProcessors());
    }

    /// @param bytesMax what work that is not done yet may hold
    Lane lane(long bytesMax, Deadline deadline) {
        return new Lane(bytesMax, deadline);
    }

    private void help(FutureTask<?> task) {
        try {
            task.run();
        } finally {
            given.decrementAndGet();
        }
    }

    /// The work of one reader, who alone may use it. Work must not throw.
    final class Lane {
        private record Job(FutureTask<?> task, Runnable after, long bytes) {}

        private final long bytesMax;
        private final Deque<Job> jobs = new ArrayDeque<>();
        private final Deadline deadline;
        private long bytes;

        private Lane(long bytesMax, Deadline deadline) {
            this.bytesMax = bytesMax;
            this.deadline = deadline;
        }

        /// @param held what the work keeps in memory until it is done
        /// @param after done by the reader, in the order in which work was given
        void give(Runnable work, long held, Runnable after) {
            while (!jobs.isEmpty() && bytes + held > bytesMax) {
                finishFirst();
            }
            Job job = new Job(new FutureTask<>(work, null), after, held);
            jobs.add(job);
            bytes += held;
            if (!isTakenByHelper(job.task())) {
                job.task().run();
            }
            while (!jobs.isEmpty() && jobs.getFirst().task().isDone()) {
                finishFirst();
            }
        }

        private boolean isTakenByHelper(FutureTask<?> task) {
            if (!deadline.isAlone() && given.get() >= others - 1) {
                return false;
            }
            given.incrementAndGet();
            try {
                helpers.execute(() -> help(task));
                return true;
            } catch (RejectedExecutionException _) {
                given.decrementAndGet();
                return false;
            }
        }

        /// Returns when everything is done.
        void settle() {
            while (!jobs.isEmpty()) {
                finishFirst();
            }
        }

        private void finishFirst() {
            Job first = jobs.removeFirst();
            bytes -= first.bytes();
            // Does it, unless somebody has begun.
            first.task().run();
            await(first.task());
            first.after().run();
        }

        /// An interruption ends the work, not the wait for its end.
        private void await(FutureTask<?> task) {
            boolean interrupted = false;
            while (true) {
                try {
                    task.get();
                    break;
                } catch (InterruptedException e) {
                    deadline.stop();
                    interrupted = true;
                } catch (ExecutionException e) {
                    throw new IllegalStateException("work that failed", e.getCause());
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}

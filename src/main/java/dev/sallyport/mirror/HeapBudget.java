package dev.sallyport.mirror;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/// What all packs that are being taken in may hold in memory together: JGit keeps about 200 bytes
/// per object of a pack until its index is written, and resolves deltas in memory.
final class HeapBudget {
    private static final int HELD_BYTES_PER_OBJECT = 200;
    private static final int HEAP_BYTES_PER_OBJECT = 2 * HELD_BYTES_PER_OBJECT;
    private static final int HEAP_PER_WHOLE_OBJECT = 8;
    private static final int OBJECTS_PER_PERMIT = 1_000;

    private final long wholeObjectBytesMax;
    private final int permitsMax;
    private final Semaphore objects;
    private final Semaphore resolving = new Semaphore(1, true);

    HeapBudget(long heapBytes) {
        this.wholeObjectBytesMax = heapBytes / HEAP_PER_WHOLE_OBJECT;
        this.permitsMax =
                Math.clamp(heapBytes / HEAP_BYTES_PER_OBJECT / OBJECTS_PER_PERMIT, 1, 10_000);
        this.objects = new Semaphore(permitsMax, true);
    }

    Share share(Deadline deadline) {
        return new Share(deadline);
    }

    /// The share of one pack. Not for several threads.
    final class Share {
        private final Deadline deadline;
        private int permits;
        private boolean resolves;

        private Share(Deadline deadline) {
            this.deadline = deadline;
        }

        long wholeObjectBytesMax() {
            return wholeObjectBytesMax;
        }

        /// Waits until a pack of that many objects can be borne.
        void take(long objectCount) throws OvergrownException, LimitException {
            take(objectCount, 0);
        }

        /// Waits until that many objects, and that many bytes besides, can be borne.
        void take(long objectCount, long bytes) throws OvergrownException, LimitException {
            long asObjects = bytes / HELD_BYTES_PER_OBJECT;
            long needed = (objectCount + asObjects) / OBJECTS_PER_PERMIT + 1;
            if (needed > permitsMax) {
                throw new OvergrownException(
                        "the repository has more than "
                                + (long) permitsMax * OBJECTS_PER_PERMIT
                                + " objects, which the gateway's memory cannot bear");
            }
            if (!acquire(objects, (int) needed)) {
                throw new LimitException("other copies take all memory");
            }
            permits = (int) needed;
        }

        /// Waits for the one turn at resolving deltas; whether it came.
        boolean resolve() {
            resolves = acquire(resolving, 1);
            return resolves;
        }

        private boolean acquire(Semaphore semaphore, int wanted) {
            try {
                return semaphore.tryAcquire(
                        wanted, deadline.remainingNanos(), TimeUnit.NANOSECONDS);
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
                return false;
            }
        }

        void giveBack() {
            objects.release(permits);
            permits = 0;
            if (resolves) {
                resolves = false;
                resolving.release();
            }
        }
    }
}

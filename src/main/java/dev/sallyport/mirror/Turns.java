package dev.sallyport.mirror;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/// Who may change a copy: one at a time, in the order of arrival. What nobody wants takes no
/// memory.
final class Turns {
    private final Map<String, Queue> queues = new HashMap<>();

    private static final class Queue {
        final Semaphore turn = new Semaphore(1, true);
        int members;
    }

    /// Somebody's turn at one copy, until it is closed.
    final class Turn implements AutoCloseable {
        private final String key;
        private final Queue queue;

        private Turn(String key, Queue queue) {
            this.key = key;
            this.queue = queue;
        }

        @Override
        public void close() {
            queue.turn.release();
            leave(key, queue);
        }
    }

    /// Empty when the turn does not come in time.
    Optional<Turn> take(String key, long nanos) throws InterruptedException {
        Queue queue = join(key);
        boolean taken = false;
        try {
            taken = queue.turn.tryAcquire(nanos, TimeUnit.NANOSECONDS);
            return taken ? Optional.of(new Turn(key, queue)) : Optional.empty();
        } finally {
            if (!taken) {
                leave(key, queue);
            }
        }
    }

    private synchronized Queue join(String key) {
        Queue queue = queues.computeIfAbsent(key, _ -> new Queue());
        queue.members++;
        return queue;
    }

    private synchronized void leave(String key, Queue queue) {
        if (--queue.members == 0) {
            queues.remove(key);
        }
    }
}

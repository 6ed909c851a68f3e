package dev.sallyport.warden;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/// Does one thing to many sandboxes, several at a time. With a thousand of them, one after the
/// other would take minutes.
final class AtOnce {
    private static final int AT_ONCE_MAX = 8;

    /// Returns when it is done for all. Whoever interrupts this wants no more of them done.
    static <T> void each(Iterable<T> all, Consumer<T> what) throws InterruptedException {
        try (ExecutorService pool =
                Executors.newFixedThreadPool(AT_ONCE_MAX, Thread.ofVirtual().factory())) {
            all.forEach(one -> pool.execute(() -> what.accept(one)));
            pool.shutdown();
            try {
                pool.awaitTermination(Long.MAX_VALUE, TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                pool.shutdownNow();
                throw e;
            }
        }
    }
}

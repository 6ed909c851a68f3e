package dev.sallyport.session;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;

/// How long requests took, counted in a few classes: one addition for each request.
public final class RequestTimes {
    /// Up to so long is a class of its own; longer is the last.
    public static final List<Long> CLASSES_MILLIS =
            List.of(1L, 5L, 10L, 25L, 50L, 100L, 250L, 500L, 1_000L, 5_000L, 30_000L);

    private static final long[] NANOS =
            CLASSES_MILLIS.stream().mapToLong(TimeUnit.MILLISECONDS::toNanos).toArray();

    private final AtomicLongArray counts = new AtomicLongArray(NANOS.length + 1);

    public void took(long nanos) {
        int place = 0;
        while (place < NANOS.length && nanos > NANOS[place]) {
            place++;
        }
        counts.incrementAndGet(place);
    }

    /// How many of each class there were since it was asked last.
    public List<Long> take() {
        List<Long> taken = new ArrayList<>();
        for (int i = 0; i < counts.length(); i++) {
            taken.add(counts.getAndSet(i, 0));
        }
        return taken;
    }
}

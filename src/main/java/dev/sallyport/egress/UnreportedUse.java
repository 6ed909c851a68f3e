package dev.sallyport.egress;

import dev.sallyport.session.Usage;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/// Collects use until it is worth a message: a mebibyte, or a second. What a gateway that is killed
/// takes with it is less than that.
final class UnreportedUse {
    private static final long BYTES_MAX = 1L << 20;
    private static final long NANOS_MAX = TimeUnit.SECONDS.toNanos(1);

    private Usage waiting = Usage.NONE;
    private long reportedNanos = System.nanoTime();

    /// What is to be reported now.
    Optional<Usage> add(Usage more, long nowNanos) {
        waiting = waiting.plus(more);
        boolean many = waiting.bytesUp() + waiting.bytesDown() >= BYTES_MAX;
        return many || nowNanos - reportedNanos >= NANOS_MAX ? take(nowNanos) : Optional.empty();
    }

    Optional<Usage> take(long nowNanos) {
        reportedNanos = nowNanos;
        if (waiting.equals(Usage.NONE)) {
            return Optional.empty();
        }
        Usage due = waiting;
        waiting = Usage.NONE;
        return Optional.of(due);
    }
}

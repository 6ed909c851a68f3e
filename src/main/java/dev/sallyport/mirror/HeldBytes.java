package dev.sallyport.mirror;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;

/// How much somebody else's code holds in memory of what it was seen to make. JGit keeps every
/// object of a chain of deltas that others still build upon, and does not say which.
final class HeldBytes {
    private static final int SMALL_BYTES = 4_096;

    private final long max;
    private final List<WeakReference<byte[]>> seen = new ArrayList<>();
    private long bytes;

    HeldBytes(long max) {
        this.max = max;
    }

    /// @throws LimitException when this and what is held already are too much
    void add(byte[] made) throws LimitException {
        if (made.length < SMALL_BYTES) {
            return;
        }
        seen.add(new WeakReference<>(made));
        bytes += made.length;
        if (bytes <= max) {
            return;
        }
        recount();
        if (bytes > max) {
            System.gc();
            recount();
        }
        if (bytes > max) {
            throw new LimitException("deltas that are more than " + max + " bytes in memory");
        }
    }

    private void recount() {
        bytes = 0;
        seen.removeIf(
                reference -> {
                    byte[] held = reference.get();
                    bytes += held == null ? 0 : held.length;
                    return held == null;
                });
    }
}

package dev.sallyport.push;

import dev.sallyport.config.Limits;
import dev.sallyport.policy.Refusal;
import org.eclipse.jgit.lib.Constants;

/// What the entries of a pack say that they inflate to, added up and held against the limits before
/// anything is inflated.
final class PackSizes {
    /// The most bytes of a commit, tree or tag. Those are held in memory whole.
    static final long STRUCTURE_BYTES_MAX = 16L << 20;

    private static final long RATIO_MATTERS_BYTES = 64L << 20;

    private final Limits.Push limits;
    private final long objectBytesMax;
    private long inflatedBytes;
    private long resultBytes;
    private long largest;

    PackSizes(Limits.Push limits, long fileBytesMax) {
        this.limits = limits;
        this.objectBytesMax = Math.max(fileBytesMax, STRUCTURE_BYTES_MAX);
    }

    /// Of a commit, tree or tag.
    static void requireBearable(EntryHead head) {
        if (head.size() > STRUCTURE_BYTES_MAX) {
            throw PushRefusedException.limit(
                    "a "
                            + Constants.typeString(head.type())
                            + " of "
                            + head.size()
                            + " bytes; at most "
                            + STRUCTURE_BYTES_MAX
                            + " are allowed");
        }
    }

    /// @param inflated of a zlib stream
    /// @param result of a delta
    void count(long inflated, long result) {
        largest = Math.max(largest, Math.max(inflated, result));
        if (largest > objectBytesMax) {
            throw new PushRefusedException(
                    Refusal.FILE_TOO_LARGE,
                    "an object of " + largest + " bytes; at most " + objectBytesMax + " fit");
        }
        inflatedBytes += inflated;
        resultBytes += result;
        if (inflatedBytes + resultBytes > limits.inflatedBytesMax()) {
            throw PushRefusedException.limit(
                    "the pack inflates to more than " + limits.inflatedBytesMax() + " bytes");
        }
    }

    /// Whether the pack is long enough for what it says. While it arrives it is not known how long
    /// it gets: what would be too much for what is there now waits for more of it.
    boolean areBearable(PackReading.Extent pack) {
        boolean tooMuch =
                inflatedBytes > RATIO_MATTERS_BYTES
                        && inflatedBytes / limits.inflationRatioMax() > pack.bytes();
        if (tooMuch && pack.whole()) {
            throw PushRefusedException.limit(
                    "the pack inflates more than " + limits.inflationRatioMax() + " times");
        }
        return !tooMuch;
    }

    /// In bytes, of all objects.
    long largest() {
        return largest;
    }
}

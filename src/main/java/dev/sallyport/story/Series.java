package dev.sallyport.story;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Sums of the last so many spans of time; what is older is forgotten.
final class Series {
    private final long spanSeconds;
    private final long[] sums;
    private long newest = Long.MIN_VALUE / 2;

    Series(long spanSeconds, int spans) {
        this.spanSeconds = spanSeconds;
        this.sums = new long[spans];
    }

    void add(long second, long more) {
        long span = Math.floorDiv(second, spanSeconds);
        forget(span);
        if (span > newest - sums.length) {
            sums[at(span)] += more;
        }
    }

    /// Oldest first; the last is the span of this second.
    List<Long> until(long second) {
        forget(Math.floorDiv(second, spanSeconds));
        List<Long> list = new ArrayList<>();
        for (int i = 1; i <= sums.length; i++) {
            list.add(sums[at(newest + i)]);
        }
        return list;
    }

    long total(long second) {
        return until(second).stream().mapToLong(Long::longValue).sum();
    }

    private void forget(long span) {
        if (span - newest >= sums.length) {
            Arrays.fill(sums, 0);
        } else {
            for (long old = newest + 1; old <= span; old++) {
                sums[at(old)] = 0;
            }
        }
        newest = Math.max(newest, span);
    }

    private int at(long span) {
        return Math.floorMod(span, sums.length);
    }
}

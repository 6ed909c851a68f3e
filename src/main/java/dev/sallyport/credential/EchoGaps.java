package dev.sallyport.credential;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;

/// Where a stream has bytes that are not of what is said in it, such as the heads of frames.
final class EchoGaps {
    private record Gap(long from, long to) {}

    private static final int MAX = 16_384;

    /// The newest first.
    private final Deque<Gap> gaps = new ArrayDeque<>();

    void add(long from, long to) {
        Gap last = gaps.peekFirst();
        boolean joins = last != null && last.to() == from;
        gaps.addFirst(joins ? new Gap(gaps.removeFirst().from(), to) : new Gap(from, to));
    }

    /// Whether there are more than honest answers have: each is kept in memory.
    boolean areTooMany() {
        return gaps.size() > MAX;
    }

    void clear() {
        gaps.clear();
    }

    /// The position that lies so many bytes of what is said before another.
    long before(long position, long bytes) {
        long from = position;
        long left = bytes;
        Iterator<Gap> newest = gaps.iterator();
        while (newest.hasNext()) {
            Gap gap = newest.next();
            if (gap.to() > from) {
                continue;
            }
            if (from - left >= gap.to()) {
                break;
            }
            left -= from - gap.to();
            from = gap.from();
        }
        return from - left;
    }
}

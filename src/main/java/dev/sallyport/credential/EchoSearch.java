package dev.sallyport.credential;

import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.FastThreadLocal;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/// Looks for [Needles] in one stream: as they are, with any of their characters escaped in one way,
/// and broken into lines. Most bytes are ruled out by an [EchoSieve]. Of the others, what is not
/// escaped costs one lookup for each byte; an [EchoLane] runs only where an escape could be.
final class EchoSearch {
    private static final Escape[] ESCAPES = Escape.values();
    private static final int ALL = (1 << ESCAPES.length) - 1;

    /// Which lanes may begin at a byte; one bit for each.
    private static final int[] BEGINNERS = beginners();

    /// Sifting that gained nothing costs this fraction of the reading that follows, at most.
    private static final int VAIN_FACTOR = 16;

    /// As long as something may be under way.
    private static final int READ_MIN = 16;

    /// What is not in an array is read from here.
    private static final FastThreadLocal<byte[]> BLOCK =
            new FastThreadLocal<>() {
                @Override
                protected byte[] initialValue() {
                    return new byte[1 << 14];
                }
            };

    private final Needles needles;
    private final @Nullable EchoSieve sieve;

    /// Made when one is needed: a search is made for each field of an answer.
    private @Nullable EchoLane @Nullable [] lanes;

    private final EchoGaps gaps = new EchoGaps();
    private int running;
    private int state;
    private long position;

    /// Until here each byte is read.
    private long exactUntil;

    EchoSearch(Needles needles, long position) {
        this.needles = needles;
        this.sieve = needles.sieve().orElse(null);
        this.position = position;
    }

    private static int[] beginners() {
        int[] beginners = new int[256];
        beginners['\r'] = ALL;
        beginners['\n'] = ALL;
        for (int i = 0; i < ESCAPES.length; i++) {
            beginners[ESCAPES[i].lead()] = 1 << i;
        }
        return beginners;
    }

    /// How many bytes have passed.
    long position() {
        return position;
    }

    /// Whether the secret is there with what came before.
    boolean finds(ByteBuf bytes, int from, int length) {
        if (bytes.hasArray()) {
            int offset = bytes.arrayOffset() + from;
            return finds(bytes.array(), offset, offset + length);
        }
        byte[] block = BLOCK.get();
        boolean found = false;
        for (int at = 0; at < length && !found; at += block.length) {
            int size = Math.min(block.length, length - at);
            bytes.getBytes(from + at, block, 0, size);
            found = finds(block, 0, size);
        }
        return found;
    }

    /// Reads what the sieve does not rule out. It is as if every byte had been read: after the last
    /// one the state is the same.
    private boolean finds(byte[] bytes, int from, int end) {
        int i = from;
        boolean found = false;
        while (i < end && !found) {
            if (sieve != null && state == 0 && running == 0 && position >= exactUntil) {
                i = sift(sieve, bytes, i, end);
            }
            long more = sieve == null ? end : Math.max(READ_MIN, exactUntil - position);
            int until = (int) Math.min(end, i + more);
            found = reads(bytes, i, until);
            i = until;
        }
        return found;
    }

    /// Goes on to where the search must read again, and says until where.
    private int sift(EchoSieve sieve, byte[] bytes, int from, int end) {
        int start = sieve.next(bytes, from, end);
        int origin = sieve.origin(bytes, from, start);
        position += origin - from;
        // Where sifting is in vain, by somebody's intent, it is not tried for a while.
        int vain = start - origin + sieve.window();
        exactUntil = position + (vain > origin - from ? VAIN_FACTOR * vain : vain);
        return origin;
    }

    /// Reads each byte.
    private boolean reads(byte[] bytes, int from, int end) {
        boolean found = false;
        for (int i = from; i < end && !found; i++) {
            if (running == 0) {
                int plain = plain(bytes, i, end);
                position += plain - i;
                i = plain;
            }
            if (i < end) {
                found = step(bytes[i] & 0xff);
                position++;
            }
        }
        return found;
    }

    /// Goes past bytes that no lane begins at and that do not complete the secret, which are nearly
    /// all.
    private int plain(byte[] bytes, int from, int end) {
        int at = state;
        for (int i = from; i < end; i++) {
            int b = bytes[i] & 0xff;
            int next = needles.step(at, b);
            if (BEGINNERS[b] != 0 || needles.isComplete(next)) {
                state = at;
                return i;
            }
            at = next;
        }
        state = at;
        return end;
    }

    private boolean step(int b) {
        int before = state;
        state = needles.step(before, b);
        // The end of a line matters only within something.
        int beginners = before == 0 && BEGINNERS[b] == ALL ? 0 : BEGINNERS[b];
        return needles.isComplete(state) || follow(b, before, beginners);
    }

    private boolean follow(int b, int before, int beginners) {
        boolean found = false;
        int left = running | beginners;
        int still = 0;
        for (; left != 0; left &= left - 1) {
            int bit = Integer.lowestOneBit(left);
            EchoLane lane = lane(Integer.numberOfTrailingZeros(bit));
            if ((running & bit) == 0) {
                lane.begin(before, position);
            }
            if (lane.runsOn(b, position, state)) {
                still |= bit;
            }
            found |= lane.isComplete();
        }
        running = still;
        return found;
    }

    private EchoLane lane(int index) {
        @Nullable EchoLane[] all = lanes;
        if (all == null) {
            all = new EchoLane[ESCAPES.length];
            lanes = all;
        }
        EchoLane lane = all[index];
        if (lane == null) {
            lane = new EchoLane(needles, ESCAPES[index]);
            all[index] = lane;
        }
        return lane;
    }

    /// These bytes are not of what is said.
    void skip(int bytes) {
        if (state == 0 && running == 0) {
            gaps.clear();
        } else {
            gaps.add(position, position + bytes);
        }
        position += bytes;
    }

    boolean isCutTooOften() {
        return gaps.areTooMany();
    }

    /// Where that begins which may be the secret; the end when nothing may.
    long suspiciousFrom(int depthMin) {
        int depth = needles.depth(state);
        long from = depth < depthMin ? position : gaps.before(position, depth);
        for (int left = running; left != 0; left &= left - 1) {
            EchoLane lane = lane(Integer.numberOfTrailingZeros(left));
            from = Math.min(from, lane.suspiciousFrom(position, depthMin, gaps));
        }
        return from;
    }

    /// Where a stream has bytes that are not of what is said in it, such as the heads of frames.
    static final class EchoGaps {
        private record Gap(long from, long to) {}

        private static final int MAX = 16_384;

        /// The newest first. Few searches have any.
        private final Deque<Gap> gaps = new ArrayDeque<>(0);

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
}

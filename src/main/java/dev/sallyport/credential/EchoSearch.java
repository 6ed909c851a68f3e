package dev.sallyport.credential;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/// Looks for [Needles] in one stream: as they are, with any of their characters escaped in one way,
/// and broken into lines. What is not escaped costs one lookup for each byte; an [EchoLane] runs
/// only where an escape could be.
final class EchoSearch {
    private static final Escape[] ESCAPES = Escape.values();
    private static final int ALL = (1 << ESCAPES.length) - 1;

    /// Which lanes may begin at a byte; one bit for each.
    private static final int[] BEGINNERS = beginners();

    private final Needles needles;
    private final @Nullable EchoLane[] lanes = new EchoLane[ESCAPES.length];
    private final EchoGaps gaps = new EchoGaps();
    private int running;
    private int state;
    private long position;

    EchoSearch(Needles needles, long position) {
        this.needles = needles;
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
        int end = from + length;
        boolean found = false;
        for (int i = from; i < end && !found; i++) {
            if (running == 0) {
                int plain = plain(bytes, i, end);
                position += plain - i;
                i = plain;
            }
            if (i < end) {
                found = step(bytes.getByte(i) & 0xff);
                position++;
            }
        }
        return found;
    }

    /// Goes past bytes that no lane begins at and that do not complete the secret, which are nearly
    /// all.
    private int plain(ByteBuf bytes, int from, int end) {
        int at = state;
        for (int i = from; i < end; i++) {
            int b = bytes.getByte(i) & 0xff;
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
        EchoLane lane = lanes[index];
        if (lane == null) {
            lane = new EchoLane(needles, ESCAPES[index]);
            lanes[index] = lane;
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
}

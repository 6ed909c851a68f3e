package dev.sallyport.credential;

import java.util.Arrays;

/// Follows a stream as a reader of one [Escape] would, and past the ends of lines. It runs only
/// from an escape or the end of a line on, and until it has come to where the search would be
/// without.
final class EchoLane {
    private static final int BLANKS_MAX = 64;
    private static final int STARTS_MIN = 4;

    /// At the end of a line: CR, LF or both, then blanks. An empty line is more than that.
    private enum Break {
        NONE,
        RETURN,
        FEED
    }

    private final Needles needles;
    private final Escape escape;
    private final byte[] pending = new byte[Escape.BYTES_MAX];

    /// Where each of the last characters began; as many as a needle may have. Grows, because most
    /// lanes end after a few, and nearly every answer has some.
    private long[] starts = new long[STARTS_MIN];

    private Break lineBreak = Break.NONE;
    private boolean complete;
    private int pendingBytes;
    private long pendingFrom;
    private int blanks;
    private int state;
    private long begun;
    private long characters;

    EchoLane(Needles needles, Escape escape) {
        this.needles = needles;
        this.escape = escape;
    }

    boolean isComplete() {
        return complete;
    }

    /// @param from the state of the search before the byte at `position`
    void begin(int from, long position) {
        state = from;
        begun = position;
        characters = 0;
        lineBreak = Break.NONE;
    }

    /// Whether it still is elsewhere than the search.
    ///
    /// @param plain the state of the search with this byte taken as it is
    boolean runsOn(int b, long position, int plain) {
        take(b, position);
        return pendingBytes > 0 || state != plain;
    }

    private void take(int b, long position) {
        if (pendingBytes > 0) {
            pending[pendingBytes++] = (byte) b;
            read();
        } else if (b == escape.lead()) {
            pending[pendingBytes++] = (byte) b;
            pendingFrom = position;
        } else {
            character(b, position);
        }
    }

    private void read() {
        long found = escape.read(pending, pendingBytes);
        if (found == Escape.MORE && pendingBytes < Escape.BYTES_MAX) {
            return;
        }
        int length = pendingBytes;
        long from = pendingFrom;
        pendingBytes = 0;
        int used = 1;
        if (found >= 0) {
            used = Escape.used(found);
            point(Escape.character(found), from);
        } else {
            character(pending[0] & 0xff, from);
        }
        // In what is left another one may begin, which is kept before where this has come to.
        for (int i = used; i < length; i++) {
            take(pending[i] & 0xff, from + i);
        }
    }

    /// Beyond ASCII a character is more than one byte.
    private void point(int c, long from) {
        if (c < 0x80) {
            character(c, from);
        } else if (c < 0x800) {
            character(0xc0 | (c >> 6), from);
            character(0x80 | (c & 0x3f), from);
        } else {
            character(0xe0 | ((c >> 12) & 0xf), from);
            character(0x80 | ((c >> 6) & 0x3f), from);
            character(0x80 | (c & 0x3f), from);
        }
    }

    private void character(int c, long from) {
        boolean blank = c == ' ' || c == '\t';
        if (c == '\r' || c == '\n') {
            endOfLine(c);
        } else if (lineBreak == Break.NONE || !blank || ++blanks > BLANKS_MAX) {
            lineBreak = Break.NONE;
            state = needles.step(state, c);
            complete |= needles.isComplete(state);
            note(from);
        }
    }

    private void note(long from) {
        if (characters == starts.length && starts.length < Needles.LENGTH_MAX) {
            starts = Arrays.copyOf(starts, 2 * starts.length);
        }
        starts[place(characters)] = from;
        characters++;
    }

    private int place(long character) {
        return (int) character & (starts.length - 1);
    }

    private void endOfLine(int c) {
        boolean first = lineBreak == Break.NONE;
        boolean second = lineBreak == Break.RETURN && c == '\n';
        if (!first && !second) {
            state = 0;
        }
        lineBreak = c == '\n' ? Break.FEED : Break.RETURN;
        blanks = 0;
    }

    /// Where that begins which may be the secret; `position`, the end, when nothing may.
    ///
    /// @param depthMin what is shorter is none, and 1 for all
    long suspiciousFrom(long position, int depthMin, EchoSearch.EchoGaps gaps) {
        int depth = needles.depth(state);
        boolean begins = pendingBytes > 0 && depthMin == 1;
        if (depth < depthMin && !begins) {
            return position;
        }
        if (depth == 0) {
            return pendingFrom;
        }
        return depth <= characters
                ? starts[place(characters - depth)]
                : gaps.before(begun, depth - characters);
    }
}

package dev.sallyport.push;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/// The part of a content that is in memory now. The array is the scan's own and changes after the
/// window was searched.
@SuppressWarnings("ArrayRecordComponent")
record SecretWindow(byte[] bytes, int length, long linesBefore) {
    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());
    private static final long LINE_ENDS = 0x0a0a_0a0a_0a0a_0a0aL;
    private static final long LOW_BITS = 0x7f7f_7f7f_7f7f_7f7fL;

    String text(int from, int to) {
        return new String(bytes, from, to - from, StandardCharsets.ISO_8859_1);
    }

    /// Where the line of a place begins, or how far back one looks for that.
    int lineStart(int at) {
        int floor = Math.max(0, at - SecretReading.BEFORE);
        int start = at;
        while (start > floor && bytes[start - 1] != '\n') {
            start--;
        }
        return start;
    }

    /// Where the line of a place ends, or how far on one looks for that.
    ///
    /// @param known no line end is between the place and here
    int lineEnd(int known, int at) {
        int ceiling = farEnd(at);
        int end = known;
        while (end < ceiling && bytes[end] != '\n') {
            end++;
        }
        return end;
    }

    int farEnd(int at) {
        return Math.min(length, at + SecretReading.AFTER);
    }

    /// From 1.
    long lineNumber(int at) {
        return linesBefore + 1 + lineEnds(bytes, at);
    }

    /// Counts eight bytes at once, because all that is pushed goes through here.
    static long lineEnds(byte[] bytes, int end) {
        long count = 0;
        int i = 0;
        for (; i + Long.BYTES <= end; i += Long.BYTES) {
            long zeroWhereLineEnds = (long) LONG.get(bytes, i) ^ LINE_ENDS;
            long highBitUnlessZero =
                    ((zeroWhereLineEnds & LOW_BITS) + LOW_BITS) | zeroWhereLineEnds;
            count += Long.bitCount(~(highBitUnlessZero | LOW_BITS));
        }
        for (; i < end; i++) {
            if (bytes[i] == '\n') {
                count++;
            }
        }
        return count;
    }
}

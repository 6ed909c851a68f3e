package dev.sallyport.push;

import java.nio.charset.StandardCharsets;

/// The part of a content that is in memory now. The array is the scan's own and changes after the
/// window was searched.
@SuppressWarnings("ArrayRecordComponent")
record SecretWindow(byte[] bytes, int length, long linesBefore) {
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
        long line = linesBefore + 1;
        for (int i = 0; i < at; i++) {
            if (bytes[i] == '\n') {
                line++;
            }
        }
        return line;
    }
}

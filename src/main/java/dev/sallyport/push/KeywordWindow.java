package dev.sallyport.push;

import java.nio.charset.StandardCharsets;

/// Four neighbours by which a [KeywordSieve] knows a keyword. The first or the last is [#ANY] where
/// it lies outside the keyword.
///
/// @param offset how far into the keyword it begins; -1 when its first byte lies before
/// @param bytes the first is the lowest
record KeywordWindow(int offset, int bytes) {
    /// Stands for a byte that may be any, and for itself.
    static final int ANY = 0xff;

    /// One byte of a window may lie outside.
    static final int KEYWORD_MIN = Integer.BYTES - 1;

    /// What is before a window has to be read again.
    private static final int OFFSET_MAX = 6;

    /// The rarest of a keyword's windows whose offsets are even, or odd.
    ///
    /// @param first 0 for even offsets, -1 for odd ones
    static KeywordWindow rarest(String keyword, int first) {
        byte[] bytes = keyword.getBytes(StandardCharsets.ISO_8859_1);
        int last = Math.min(bytes.length - KEYWORD_MIN, OFFSET_MAX);
        KeywordWindow rarest = at(bytes, first);
        for (int offset = first + 2; offset <= last; offset += 2) {
            KeywordWindow other = at(bytes, offset);
            if (other.frequency() < rarest.frequency()) {
                rarest = other;
            }
        }
        return rarest;
    }

    private static KeywordWindow at(byte[] keyword, int offset) {
        int bytes = 0;
        for (int i = offset + Integer.BYTES - 1; i >= offset; i--) {
            int b = i < 0 || i >= keyword.length ? ANY : keyword[i] & 0xff;
            bytes = bytes << Byte.SIZE | b;
        }
        return new KeywordWindow(offset, bytes);
    }

    int firstPair() {
        return bytes & 0xffff;
    }

    int secondPair() {
        return bytes >>> Short.SIZE;
    }

    double frequency() {
        return PairMasks.frequency(firstPair()) * PairMasks.frequency(secondPair());
    }
}

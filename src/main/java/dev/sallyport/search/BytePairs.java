package dev.sallyport.search;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/// A set of pairs of neighbouring bytes, small enough for the fastest cache.
public final class BytePairs {
    private static final VarHandle SHORT =
            MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);

    private final long[] bits = new long[1 << 10];

    /// Adds a pair.
    public void add(int first, int second) {
        int pair = (first & 0xff) | ((second & 0xff) << 8);
        bits[pair >>> 6] |= 1L << pair;
    }

    /// Adds all pairs of a text with one character for each byte.
    public void addAll(String text) {
        for (int i = 0; i + 1 < text.length(); i++) {
            add(text.charAt(i), text.charAt(i + 1));
        }
    }

    /// Whether it has the byte at an index and the one behind it.
    public boolean hasAt(byte[] bytes, int index) {
        int pair = (short) SHORT.get(bytes, index) & 0xffff;
        return (bits[pair >>> 6] & (1L << pair)) != 0;
    }
}

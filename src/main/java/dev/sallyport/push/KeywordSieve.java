package dev.sallyport.push;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// Tells where in a content no keyword can be, looking at every second pair of bytes.
///
/// Wherever a keyword begins, one of two [KeywordWindow]s of it begins where the sieve looks. It
/// looks closer where a pair and the next one may be the halves of a window. That takes one lookup
/// for two bytes and one branch for eight, and is how Hyperscan searches for literals (FDR).
final class KeywordSieve {
    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private static final VarHandle INT =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    /// What one turn of [#suspect] looks at.
    private static final int TURN = 4 * Long.BYTES;

    /// From here on a mask is about second halves.
    private static final int SECOND = PairMasks.BUCKETS;

    /// Upper and lower case of a letter differ in this bit.
    private static final int CASE = 0x2020_2020;

    private static final int ANY_FIRST = KeywordWindow.ANY;
    private static final int ANY_LAST = KeywordWindow.ANY << 24;

    /// As good as any large odd number: the golden ratio.
    private static final int MIX = 0x9e37_79b1;

    /// What [PairMasks] makes.
    private final long[] masks;

    /// A set of hashes with 17 bits.
    private final long[] windows = new long[1 << 11];

    private final int before;
    private final int longest;

    private KeywordSieve(List<String> keywords) {
        List<KeywordWindow> chosen = keywords.stream().flatMap(KeywordSieve::windows).toList();
        for (KeywordWindow window : chosen) {
            int hash = hash(window.bytes());
            windows[hash >>> 6] |= 1L << hash;
        }
        this.masks = PairMasks.of(chosen);
        this.before = 1 + chosen.stream().mapToInt(KeywordWindow::offset).max().orElse(0);
        this.longest = keywords.stream().mapToInt(String::length).max().orElse(0);
    }

    private static Stream<KeywordWindow> windows(String keyword) {
        return Stream.of(KeywordWindow.rarest(keyword, 0), KeywordWindow.rarest(keyword, -1));
    }

    /// One for keywords of at least three characters.
    static Optional<KeywordSieve> of(List<String> keywords) {
        return keywords.stream().allMatch(k -> k.length() >= KeywordWindow.KEYWORD_MIN)
                ? Optional.of(new KeywordSieve(keywords))
                : Optional.empty();
    }

    /// Of four bytes, upper and lower case alike.
    private static int hash(int four) {
        return ((four | CASE) * MIX) >>> 15;
    }

    /// How far before what [#next] returns its keyword may begin.
    int before() {
        return before;
    }

    /// The length of the longest keyword.
    int longest() {
        return longest;
    }

    /// The first index that may be one of a keyword which lies between `from` and `end`; `end` when
    /// there is none.
    int next(byte[] bytes, int from, int end) {
        int start = from;
        int i = suspect(bytes, start, end);
        while (i <= end - TURN) {
            int found = closer(bytes, Math.max(i - 2, start), i);
            if (found != 0) {
                int window = i - 2 + 2 * Integer.numberOfTrailingZeros(found);
                return Math.max(window, start) + 1;
            }
            start = i + Long.BYTES - 2;
            i = suspect(bytes, start, end);
        }
        return nextInRest(bytes, Math.max(i - 2, start), end);
    }

    /// The first eight bytes in which the second half of a window may be; where the rest begins
    /// when there is none.
    ///
    /// The loop is unrolled by hand, so that C2 does not inline it: what comes after it would take
    /// registers away from it, which costs a fifth. And it counts up to what is less than a limit,
    /// not up to the limit itself: otherwise C2 checks all indices again after its first mistake.
    private int suspect(byte[] bytes, int from, int end) {
        long[] masks = this.masks;
        int last = masks.length - 1;
        int limit = end - TURN + 1;
        long four = 0;
        int i = from;
        for (; i < limit; i += TURN) {
            long eight = folded(bytes, i);
            long one = masks[(int) eight & last];
            long two = masks[(int) (eight >>> 16) & last];
            long three = masks[(int) (eight >>> 32) & last];
            long both = (four & one >>> SECOND) | (one & two >>> SECOND) | (two & three >>> SECOND);
            four = masks[(int) (eight >>> 48) & last];
            if ((both | (three & four >>> SECOND)) != 0) {
                return i;
            }
            eight = folded(bytes, i + 8);
            one = masks[(int) eight & last];
            two = masks[(int) (eight >>> 16) & last];
            three = masks[(int) (eight >>> 32) & last];
            both = (four & one >>> SECOND) | (one & two >>> SECOND) | (two & three >>> SECOND);
            four = masks[(int) (eight >>> 48) & last];
            if ((both | (three & four >>> SECOND)) != 0) {
                return i + 8;
            }
            eight = folded(bytes, i + 16);
            one = masks[(int) eight & last];
            two = masks[(int) (eight >>> 16) & last];
            three = masks[(int) (eight >>> 32) & last];
            both = (four & one >>> SECOND) | (one & two >>> SECOND) | (two & three >>> SECOND);
            four = masks[(int) (eight >>> 48) & last];
            if ((both | (three & four >>> SECOND)) != 0) {
                return i + 16;
            }
            eight = folded(bytes, i + 24);
            one = masks[(int) eight & last];
            two = masks[(int) (eight >>> 16) & last];
            three = masks[(int) (eight >>> 32) & last];
            both = (four & one >>> SECOND) | (one & two >>> SECOND) | (two & three >>> SECOND);
            four = masks[(int) (eight >>> 48) & last];
            if ((both | (three & four >>> SECOND)) != 0) {
                return i + 24;
            }
        }
        return i;
    }

    private static long folded(byte[] bytes, int at) {
        long eight = (long) LONG.get(bytes, at) & PairMasks.FOLD;
        return eight ^ eight >>> PairMasks.SHIFT;
    }

    /// One bit for each of four places. No branches: which place it is cannot be predicted.
    private int closer(byte[] bytes, int first, int i) {
        return isWindow((int) INT.get(bytes, first))
                | isWindow((int) INT.get(bytes, i)) << 1
                | isWindow((int) INT.get(bytes, i + 2)) << 2
                | isWindow((int) INT.get(bytes, i + 4)) << 3;
    }

    private int nextInRest(byte[] bytes, int from, int end) {
        for (int i = from; i + 2 < end; i += 2) {
            int three =
                    (bytes[i] & 0xff) | (bytes[i + 1] & 0xff) << 8 | (bytes[i + 2] & 0xff) << 16;
            if (isWindow(i + 3 < end ? three | bytes[i + 3] << 24 : three) != 0) {
                return i + 1;
            }
        }
        return end;
    }

    private int isWindow(int four) {
        return (int) (has(four) | has(four | ANY_FIRST) | has(four | ANY_LAST)) & 1;
    }

    /// In the lowest bit.
    private long has(int window) {
        int hash = hash(window);
        return windows[hash >>> 6 & windows.length - 1] >>> hash;
    }
}

package dev.sallyport.push;

import dev.sallyport.search.Automaton;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/// Tells where in a content no keyword can be, looking at every second pair of bytes.
///
/// Of each keyword three neighbours stand for all of it, those that are rarest in text. Whichever
/// pairs are looked at, one of them is the first two or the last two of these.
final class KeywordSieve {
    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private static final int THREE = 3;

    /// Upper and lower case of a letter differ in this bit.
    private static final int CASE = 0x20_2020;

    /// As good as any large odd number: the golden ratio.
    private static final int MIX = 0x9e37_79b1;

    /// How far into a keyword the three may begin: what is before has to be read again.
    private static final int OFFSET_MAX = 6;

    private static final String COMMON_FIRST = " etaoinsrhldcumfpgwybvkxjqz";

    /// Of what is no letter.
    private static final int RARE = 4;

    /// A set of hashes with 16 bits.
    private final long[] threes = new long[1 << 10];

    /// By pair, the first byte of which is the lower one: more than nothing when it is of three
    /// such.
    private final byte[] pairs = new byte[1 << 16];

    private final int before;
    private final int longest;

    private KeywordSieve(List<String> keywords) {
        int farthest = 0;
        for (String keyword : keywords) {
            byte[] bytes = keyword.getBytes(StandardCharsets.ISO_8859_1);
            int rarest = rarest(bytes);
            add(bytes, rarest);
            farthest = Math.max(farthest, rarest);
        }
        this.before = farthest;
        this.longest = keywords.stream().mapToInt(String::length).max().orElse(0);
    }

    /// One for keywords of at least three characters.
    static Optional<KeywordSieve> of(List<String> keywords) {
        return keywords.stream().allMatch(keyword -> keyword.length() >= THREE)
                ? Optional.of(new KeywordSieve(keywords))
                : Optional.empty();
    }

    private static int rarest(byte[] keyword) {
        int rarest = 0;
        for (int i = 1; i <= Math.min(keyword.length - THREE, OFFSET_MAX); i++) {
            if (weight(keyword, i) < weight(keyword, rarest)) {
                rarest = i;
            }
        }
        return rarest;
    }

    private static int weight(byte[] keyword, int at) {
        return weight(keyword[at]) * weight(keyword[at + 1]) * weight(keyword[at + 2]);
    }

    private static int weight(int b) {
        int rank = COMMON_FIRST.indexOf(Automaton.lower(b));
        return rank < 0 ? RARE : COMMON_FIRST.length() - rank;
    }

    private void add(byte[] keyword, int at) {
        int hash = hash(keyword, at);
        threes[hash >>> 6] |= 1L << hash;
        for (int i = at; i < at + 2; i++) {
            int first = Automaton.lower(keyword[i]);
            int second = Automaton.lower(keyword[i + 1]);
            for (int one : new int[] {first, upper(first)}) {
                pairs[one | second << 8] = 1;
                pairs[one | upper(second) << 8] = 1;
            }
        }
    }

    private static int upper(int lower) {
        return lower >= 'a' && lower <= 'z' ? lower - ('a' - 'A') : lower;
    }

    /// Of three bytes, upper and lower case alike.
    private static int hash(byte[] bytes, int at) {
        int three = (bytes[at] & 0xff) | (bytes[at + 1] & 0xff) << 8 | (bytes[at + 2] & 0xff) << 16;
        return ((three | CASE) * MIX) >>> 16;
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
        int i = from;
        for (; i + Long.BYTES < end; i += Long.BYTES) {
            long eight = (long) LONG.get(bytes, i);
            int found =
                    pairs[(int) eight & 0xffff]
                            | pairs[(int) (eight >>> 16) & 0xffff]
                            | pairs[(int) (eight >>> 32) & 0xffff]
                            | pairs[(int) (eight >>> 48)];
            if (found != 0) {
                int three = three(bytes, Math.max(i - 1, from), i + Long.BYTES - 1);
                if (three >= 0) {
                    return three;
                }
            }
        }
        int three = three(bytes, Math.max(i - 1, from), end - 2);
        return three < 0 ? end : three;
    }

    private int three(byte[] bytes, int from, int end) {
        for (int i = from; i < end; i++) {
            int hash = hash(bytes, i);
            if ((threes[hash >>> 6] & (1L << hash)) != 0) {
                return i;
            }
        }
        return -1;
    }
}

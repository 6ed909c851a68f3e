package dev.sallyport.push;

import dev.sallyport.search.Automaton;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;

/// Makes the masks that tell a [KeywordSieve] whether two pairs of bytes may be a [KeywordWindow].
///
/// Windows are dealt into 32 buckets. A pair's mask has a bit for each bucket where it is the first
/// half of a window, and another where it is the second half. Halves of different windows in one
/// bucket look like a window too; so windows that are alike go together, and what is common stays
/// away from what is rare.
final class PairMasks {
    /// Of 8 bytes each: all of them fit into the nearest cache.
    static final int COUNT = 1 << 12;

    /// Takes from each byte the bit that tells upper from lower case, and the one that ASCII does
    /// not use.
    static final long FOLD = 0x5f5f_5f5f_5f5f_5f5fL;

    /// Brings what is left of a pair's second byte beside its first. A few bits overlap.
    static final int SHIFT = 3;

    /// How far the bits of second halves are above those of first halves.
    static final int BUCKETS = Integer.SIZE;

    private static final String COMMON_FIRST = " etaoinsrhldcumfpgwybvkxjqz";

    /// Of what is no letter. Low, as words are followed by any of many such.
    private static final int RARE = 2;

    /// About what the weights of one case are together.
    private static final double ALL = 500;

    private static final double[] FREQUENCIES = byteFrequencies();

    private final double[] frequencies = new double[COUNT];
    private final long[] masks = new long[COUNT];

    /// By bit of the masks, of all pairs that have it.
    private final double[] sums = new double[2 * BUCKETS];

    private PairMasks() {
        for (int pair = 0; pair < 1 << Short.SIZE; pair++) {
            if ((pair & FOLD) == pair) {
                frequencies[index(pair)] += frequency(pair);
            }
        }
    }

    /// By a pair's two bytes, the first of which is the lower one, [#FOLD]ed, and combined by
    /// exclusive or with themselves, [#SHIFT]ed.
    static long[] of(List<KeywordWindow> windows) {
        PairMasks masks = new PairMasks();
        windows.stream()
                .distinct()
                .sorted(Comparator.comparingDouble(KeywordWindow::frequency).reversed())
                .forEach(masks::add);
        return masks.masks;
    }

    /// How often two bytes are neighbours in what people write, very roughly.
    static double frequency(int pair) {
        return FREQUENCIES[pair & 0xff] * FREQUENCIES[pair >>> Byte.SIZE];
    }

    private static double[] byteFrequencies() {
        double[] frequencies = new double[1 << Byte.SIZE];
        Arrays.fill(frequencies, RARE / ALL);
        frequencies[KeywordWindow.ANY] = 1;
        for (int b = ' '; b <= 'z'; b++) {
            int rank = COMMON_FIRST.indexOf(Automaton.lower(b));
            if (rank >= 0) {
                frequencies[b] = (COMMON_FIRST.length() - rank) / ALL;
            }
        }
        return frequencies;
    }

    private static int index(int pair) {
        int folded = pair & (int) FOLD;
        return (folded ^ folded >>> SHIFT) & COUNT - 1;
    }

    /// Into the bucket where it makes fewest other places look like windows.
    private void add(KeywordWindow window) {
        int[] first = indices(window.firstPair());
        int[] second = indices(window.secondPair());
        int best = 0;
        double bestCost = Double.MAX_VALUE;
        for (int i = 0; i < BUCKETS; i++) {
            double cost =
                    sumWith(i, first) * sumWith(i + BUCKETS, second) - sums[i] * sums[i + BUCKETS];
            if (cost < bestCost) {
                best = i;
                bestCost = cost;
            }
        }
        put(best, first);
        put(best + BUCKETS, second);
    }

    private static int[] indices(int pair) {
        int low = pair & 0xff;
        int high = pair >>> Byte.SIZE;
        BitSet indices = new BitSet(COUNT);
        for (int i = lowest(low); i <= low; i++) {
            for (int j = lowest(high); j <= high; j++) {
                indices.set(index(i | j << Byte.SIZE));
            }
        }
        return indices.stream().toArray();
    }

    private static int lowest(int b) {
        return b == KeywordWindow.ANY ? 0 : b;
    }

    private double sumWith(int bit, int[] more) {
        double sum = sums[bit];
        for (int i : more) {
            sum += (masks[i] >>> bit & 1) != 0 ? 0 : frequencies[i];
        }
        return sum;
    }

    private void put(int bit, int[] more) {
        sums[bit] = sumWith(bit, more);
        for (int i : more) {
            masks[i] |= 1L << bit;
        }
    }
}

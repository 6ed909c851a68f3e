package dev.sallyport.push;

import dev.sallyport.config.Limits;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.eclipse.jgit.lib.ObjectId;

/// The entries of a pack as far as a first look can tell, and how they lie upon each other.
///
/// JGit resolves a chain of deltas from its bottom up and holds all of it in memory, so the sum of
/// sizes along a chain is what counts. Where a delta names its base by id and the base is no whole
/// object of the pack, its place is unknown until everything is resolved: all such deltas, and what
/// lies upon them, are taken for one chain on top of the worst known one.
final class PackEntries {
    private static final int WHOLE = -1;
    private static final int REFERENCE = -2;

    private final boolean identified;
    private final Map<ObjectId, Integer> wholes = new HashMap<>();
    private final Map<Integer, ObjectId> references = new HashMap<>();
    private long[] offsets = new long[64];
    private long[] sizes = new long[64];
    private long[] deltas = new long[64];
    private int[] bases = new int[64];
    private int count;
    private boolean hasReferences;

    PackEntries(boolean identified) {
        this.identified = identified;
    }

    int count() {
        return count;
    }

    boolean hasReferences() {
        return hasReferences;
    }

    void addWhole(long offset, long size) {
        add(offset, WHOLE, size, 0);
    }

    void addWhole(long offset, long size, byte[] id) {
        wholes.put(ObjectId.fromRaw(id), count);
        add(offset, WHOLE, size, 0);
    }

    void addDelta(long offset, int base, DeltaHead delta) {
        add(offset, base, delta.resultBytes(), delta.deltaBytes());
    }

    void addReference(long offset, byte[] base, DeltaHead delta) {
        hasReferences = true;
        if (identified) {
            references.put(count, ObjectId.fromRaw(base));
        }
        add(offset, REFERENCE, delta.resultBytes(), delta.deltaBytes());
    }

    private void add(long offset, int base, long size, long delta) {
        if (count == offsets.length) {
            int longer = count * 2;
            offsets = Arrays.copyOf(offsets, longer);
            sizes = Arrays.copyOf(sizes, longer);
            deltas = Arrays.copyOf(deltas, longer);
            bases = Arrays.copyOf(bases, longer);
        }
        offsets[count] = offset;
        sizes[count] = size;
        deltas[count] = delta;
        bases[count] = base;
        count++;
    }

    /// The entry that begins there.
    int indexOf(long offset) {
        int index = Arrays.binarySearch(offsets, 0, count, offset);
        if (index < 0) {
            throw PushRefusedException.malformed("a delta without its base");
        }
        return index;
    }

    void checkChains(Limits.Push limits) {
        int[] depths = new int[count];
        long[] chains = new long[count];
        int depthMax = 0;
        long chainMax = 0;
        int looseDepth = 0;
        long looseChain = 0;
        for (int i = 0; i < count; i++) {
            int base = baseOf(i);
            if (base == WHOLE) {
                chains[i] = sizes[i];
                continue;
            }
            if (base == REFERENCE || depths[base] < 0) {
                depths[i] = REFERENCE;
                looseDepth++;
                looseChain += sizes[i] + deltas[i];
                continue;
            }
            depths[i] = depths[base] + 1;
            chains[i] = (depths[base] == 0 ? sizes[base] : chains[base]) + sizes[i];
            depthMax = Math.max(depthMax, depths[i]);
            chainMax = Math.max(chainMax, chains[i] + deltas[i]);
        }
        if (looseDepth > 0) {
            chainMax = Math.max(chainMax, largestWhole());
        }
        check(depthMax + looseDepth, chainMax + looseChain, limits);
    }

    private int baseOf(int entry) {
        if (bases[entry] != REFERENCE) {
            return bases[entry];
        }
        ObjectId id = references.get(entry);
        Integer whole = id == null ? null : wholes.get(id);
        return whole == null ? REFERENCE : whole;
    }

    private long largestWhole() {
        long largest = 0;
        for (int i = 0; i < count; i++) {
            if (bases[i] == WHOLE) {
                largest = Math.max(largest, sizes[i]);
            }
        }
        return largest;
    }

    private static void check(int depth, long chain, Limits.Push limits) {
        if (depth > limits.deltaDepthMax()) {
            throw PushRefusedException.limit(
                    "deltas lie "
                            + depth
                            + " deep; at most "
                            + limits.deltaDepthMax()
                            + " are allowed");
        }
        if (chain > limits.deltaChainBytesMax()) {
            throw PushRefusedException.limit(
                    "a chain of deltas holds "
                            + chain
                            + " bytes; at most "
                            + limits.deltaChainBytesMax()
                            + " are allowed");
        }
    }
}

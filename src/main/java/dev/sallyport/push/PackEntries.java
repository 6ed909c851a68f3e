package dev.sallyport.push;

import dev.sallyport.config.Limits;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.transport.PackedObjectInfo;
import org.jspecify.annotations.Nullable;

/// The entries of a pack, how they lie upon each other, and what each turned out to be.
///
/// A chain of deltas is resolved from its bottom up and all of it is held in memory, so the sum of
/// sizes along a chain is what counts. Where a delta names its base by id and the base is no whole
/// object of the pack, its place is unknown until everything is resolved: all such deltas, and what
/// lies upon them, are taken for one chain on top of the worst known one.
final class PackEntries {
    static final int NONE = -1;

    private static final int WHOLE = -1;
    private static final int REFERENCE = -2;

    /// An object, from the moment its id is known.
    static final class Known extends PackedObjectInfo {
        private static final long serialVersionUID = 1L;

        private final boolean clean;
        private final boolean pointer;

        private Known(ObjectId id, boolean clean, boolean pointer) {
            super(id);
            this.clean = clean;
            this.pointer = pointer;
        }

        /// Whether it looks like a pointer of Git LFS.
        boolean isPointer() {
            return pointer;
        }

        /// Whether it was scanned and nothing was found in it.
        boolean isClean() {
            return clean;
        }
    }

    private long[] offsets = new long[64];
    private long[] sizes = new long[64];
    private long[] deltas = new long[64];
    private int[] bases = new int[64];
    private int[] crcs = new int[64];
    private @Nullable Known[] known = new @Nullable Known[64];

    /// The bases of those that name theirs.
    private @Nullable ObjectId[] references = new @Nullable ObjectId[64];

    private boolean hasReferences;
    private int count;
    private int knownCount;

    int count() {
        return count;
    }

    boolean areAllKnown() {
        return knownCount == count;
    }

    boolean hasReferences() {
        return hasReferences;
    }

    long offset(int entry) {
        return offsets[entry];
    }

    boolean isWhole(int entry) {
        return bases[entry] == WHOLE;
    }

    /// Returns which one it is.
    int addWhole(long offset, long size, int crc) {
        return add(offset, WHOLE, size, 0, crc);
    }

    void addDelta(long offset, int base, DeltaHead delta, int crc) {
        add(offset, base, delta.resultBytes(), delta.deltaBytes(), crc);
    }

    void addReference(long offset, ObjectId base, DeltaHead delta, int crc) {
        int entry = add(offset, REFERENCE, delta.resultBytes(), delta.deltaBytes(), crc);
        references[entry] = base;
        hasReferences = true;
    }

    private int add(long offset, int base, long size, long delta, int crc) {
        if (count == offsets.length) {
            grow(count * 2);
        }
        offsets[count] = offset;
        sizes[count] = size;
        deltas[count] = delta;
        bases[count] = base;
        crcs[count] = crc;
        return count++;
    }

    private void grow(int length) {
        offsets = Arrays.copyOf(offsets, length);
        sizes = Arrays.copyOf(sizes, length);
        deltas = Arrays.copyOf(deltas, length);
        bases = Arrays.copyOf(bases, length);
        crcs = Arrays.copyOf(crcs, length);
        known = Arrays.copyOf(known, length);
        references = Arrays.copyOf(references, length);
    }

    /// The entry that begins there.
    int indexOf(long offset) {
        int index = Arrays.binarySearch(offsets, 0, count, offset);
        if (index < 0) {
            throw PushRefusedException.malformed("a delta without its base");
        }
        return index;
    }

    void identify(int entry, int type, ObjectId id, boolean clean, boolean pointer) {
        Known object = new Known(id, clean, pointer);
        object.setOffset(offsets[entry]);
        object.setCRC(crcs[entry]);
        object.setType(type);
        known[entry] = object;
        knownCount++;
    }

    Known get(int entry) {
        Known object = known[entry];
        if (object == null) {
            throw new IllegalStateException("an entry that was not identified");
        }
        return object;
    }

    /// All of them, in the order of their ids.
    List<Known> sorted() {
        Known[] all = new Known[count];
        for (int i = 0; i < count; i++) {
            all[i] = get(i);
        }
        Arrays.sort(all);
        return List.of(all);
    }

    /// For each entry the first of the deltas upon it, and for each delta the next upon the same
    /// base; those upon a base that is known by id only are found by that id.
    final class Children {
        private final int[] first = filled();
        private final int[] next = filled();
        private final Map<ObjectId, Integer> firstOf = new HashMap<>();

        Children() {
            for (int i = count - 1; i >= 0; i--) {
                if (bases[i] >= 0) {
                    next[i] = first[bases[i]];
                    first[bases[i]] = i;
                } else if (bases[i] == REFERENCE) {
                    Integer other = firstOf.put(references[i], i);
                    next[i] = other == null ? NONE : other;
                }
            }
        }

        private int[] filled() {
            int[] none = new int[count];
            Arrays.fill(none, NONE);
            return none;
        }

        boolean has(int entry, @Nullable ObjectId id) {
            return first[entry] != NONE || (id != null && firstOf.containsKey(id));
        }

        /// Takes one away; [#NONE] when there is no more.
        int take(int entry, @Nullable ObjectId id) {
            int child = first[entry];
            if (child != NONE) {
                first[entry] = next[child];
                return child;
            }
            Integer named = id == null ? null : firstOf.remove(id);
            if (named == null) {
                return NONE;
            }
            if (next[named] != NONE) {
                firstOf.put(id, next[named]);
            }
            return named;
        }
    }

    void checkChains(Limits.Push limits) {
        Map<ObjectId, Integer> wholes = wholes();
        int[] depths = new int[count];
        long[] chains = new long[count];
        int depthMax = 0;
        long chainMax = 0;
        int looseDepth = 0;
        long looseChain = 0;
        for (int i = 0; i < count; i++) {
            int base = baseOf(i, wholes);
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

    /// Only deltas that name their base ask for it.
    private Map<ObjectId, Integer> wholes() {
        Map<ObjectId, Integer> wholes = new HashMap<>();
        for (int i = 0; hasReferences() && i < count; i++) {
            ObjectId id = known[i];
            if (isWhole(i) && id != null) {
                wholes.put(id, i);
            }
        }
        return wholes;
    }

    private int baseOf(int entry, Map<ObjectId, Integer> wholes) {
        if (bases[entry] != REFERENCE) {
            return bases[entry];
        }
        Integer whole = wholes.get(references[entry]);
        return whole == null ? REFERENCE : whole;
    }

    private long largestWhole() {
        long largest = 0;
        for (int i = 0; i < count; i++) {
            if (isWhole(i)) {
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

package dev.sallyport.mirror;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.eclipse.jgit.internal.storage.file.Pack;
import org.eclipse.jgit.internal.storage.file.PackIndex;
import org.eclipse.jgit.lib.Constants;

/// How much memory the heaviest object of a pack takes while it is read. JGit makes an object that
/// is stored as a delta in memory, whatever its size: its base, the delta and the object at once.
/// So a small file can weigh as much as the large one that it is a delta of.
final class PackWeights {
    /// Holds the head of an object and the first bytes of its delta, which say both sizes.
    private static final int HEAD_BYTES = 512;

    private static final int SIZES_BYTES = 20;
    private static final int PACKS_MAX = 4_096;

    private final long unknown;
    private final Map<String, Long> known = new HashMap<>();

    /// @param unknown what an object weighs that does not say it at once
    PackWeights(long unknown) {
        this.unknown = unknown;
    }

    /// Reads the head of every object, once: a pack never changes, and is named by what it holds.
    long of(Pack pack, Deadline deadline) throws IOException {
        String name = pack.getPackName();
        synchronized (known) {
            Long weight = known.get(name);
            if (weight != null) {
                return weight;
            }
        }
        long weight = read(pack, deadline);
        synchronized (known) {
            if (known.size() >= PACKS_MAX) {
                known.clear();
            }
            known.put(name, weight);
        }
        return weight;
    }

    private long read(Pack pack, Deadline deadline) throws IOException {
        long most = 0;
        Inflater inflater = new Inflater();
        try (RandomAccessFile file = new RandomAccessFile(pack.getPackFile(), "r")) {
            byte[] head = new byte[HEAD_BYTES];
            for (PackIndex.MutableEntry entry : pack.getIndex()) {
                History.requireTime(deadline);
                file.seek(entry.getOffset());
                int length = Math.max(0, file.read(head));
                most = Math.max(most, weight(new Numbers(head, length), inflater));
            }
        } finally {
            inflater.end();
        }
        return most;
    }

    private long weight(Numbers head, Inflater inflater) {
        int first = head.next();
        int type = (first >> 4) & 7;
        long size = first & 15;
        if ((first & 0x80) != 0) {
            size += head.number() << 4;
        }
        switch (type) {
            case Constants.OBJ_OFS_DELTA -> head.number();
            case Constants.OBJ_REF_DELTA -> head.skip(Constants.OBJECT_ID_LENGTH);
            default -> {
                // What is larger is never held as a whole.
                return size < IsolatedGit.WHOLE_OBJECT_BYTES_MAX ? size : 0;
            }
        }
        byte[] sizes = new byte[SIZES_BYTES];
        inflater.reset();
        inflater.setInput(head.bytes, head.at, Math.max(0, head.length - head.at));
        try {
            int count = inflater.inflate(sizes);
            Numbers delta = new Numbers(sizes, count);
            long sum = size + delta.number() + delta.number();
            return delta.at > count || sum < 0 ? unknown : sum;
        } catch (DataFormatException _) {
            return unknown;
        }
    }

    /// Numbers of seven bits a byte. What is behind the end is nothing.
    private static final class Numbers {
        private static final int SHIFT_MAX = 56;
        private final byte[] bytes;
        private final int length;
        private int at;

        Numbers(byte[] bytes, int length) {
            this.bytes = bytes;
            this.length = length;
        }

        int next() {
            int place = at++;
            return place < length ? bytes[place] & 0xff : 0;
        }

        void skip(int count) {
            at += count;
        }

        long number() {
            long value = 0;
            int shift = 0;
            int next;
            do {
                next = next();
                value |= (long) (next & 0x7f) << Math.min(shift, SHIFT_MAX);
                shift += 7;
            } while ((next & 0x80) != 0);
            return value;
        }
    }
}

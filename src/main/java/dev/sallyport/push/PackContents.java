package dev.sallyport.push;

import java.io.IOException;
import java.util.List;
import org.eclipse.jgit.internal.storage.file.PackIndex;
import org.eclipse.jgit.lib.AnyObjectId;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.jspecify.annotations.Nullable;

/// Which objects a pack holds, and one byte of knowledge about each. An object is spoken of by its
/// position in the pack's index.
final class PackContents {
    static final int NONE = -1;

    private static final int TYPE = 0b0111;
    private static final int REACHED = 0b1000;
    private static final int MIRROR_ASKED = 0b1_0000;
    private static final int IN_MIRROR = 0b10_0000;
    private static final int CLEAN = 0b100_0000;
    private static final int POINTER = 0b1000_0000;

    private final @Nullable PackIndex index;
    private final byte[] flags;

    private PackContents(@Nullable PackIndex index, byte[] flags) {
        this.index = index;
        this.flags = flags;
    }

    static PackContents none() {
        return new PackContents(null, new byte[0]);
    }

    /// @param sorted all objects, in the order of their ids, as the index has them
    static PackContents of(PackIndex index, List<PackEntries.Known> sorted) {
        byte[] flags = new byte[sorted.size()];
        for (int i = 0; i < flags.length; i++) {
            if (i > 0 && AnyObjectId.isEqual(sorted.get(i - 1), sorted.get(i))) {
                throw PushRefusedException.malformed("the pack holds an object twice");
            }
            int clean = sorted.get(i).isClean() ? CLEAN : 0;
            int pointer = sorted.get(i).isPointer() ? POINTER : 0;
            flags[i] = (byte) (sorted.get(i).getType() | clean | pointer);
        }
        return new PackContents(index, flags);
    }

    int count() {
        return flags.length;
    }

    int find(AnyObjectId id) {
        return index == null ? NONE : Math.max(NONE, index.findPosition(id));
    }

    ObjectId id(int position) {
        if (index == null) {
            throw new IndexOutOfBoundsException(position);
        }
        return index.getObjectId(position);
    }

    int type(int position) {
        return flags[position] & TYPE;
    }

    boolean isOfType(int position, int type) {
        return type(position) == type;
    }

    /// Returns whether it had not been reached before.
    boolean reach(int position) {
        return raise(position, REACHED);
    }

    boolean isReached(int position) {
        return (flags[position] & REACHED) != 0;
    }

    boolean isClean(int position) {
        return (flags[position] & CLEAN) != 0;
    }

    /// Whether it looks like a pointer of Git LFS.
    boolean isPointer(int position) {
        return (flags[position] & POINTER) != 0;
    }

    /// Nothing was found in it.
    void setClean(int position) {
        raise(position, CLEAN);
    }

    /// Whether upstream's copy lacks it. Asked once.
    boolean isNew(int position, UpstreamObjects mirror) throws IOException {
        if (raise(position, MIRROR_ASKED) && mirror.has(id(position))) {
            raise(position, IN_MIRROR);
        }
        return (flags[position] & IN_MIRROR) == 0;
    }

    private boolean raise(int position, int flag) {
        boolean raised = (flags[position] & flag) == 0;
        flags[position] |= (byte) flag;
        return raised;
    }

    /// For people.
    String describe(int position) {
        return Constants.typeString(type(position)) + " " + id(position).abbreviate(7).name();
    }
}

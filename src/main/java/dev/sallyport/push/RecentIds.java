package dev.sallyport.push;

import org.eclipse.jgit.lib.AnyObjectId;
import org.eclipse.jgit.lib.ObjectId;
import org.jspecify.annotations.Nullable;

/// Remembers ids as long as no other takes their place: trees of neighbouring commits name the same
/// objects again and again, and asking a repository for each is slow.
final class RecentIds {
    private static final int SLOTS = 1 << 15;

    private final @Nullable ObjectId[] slots = new @Nullable ObjectId[SLOTS];

    boolean contains(AnyObjectId id) {
        ObjectId slot = slots[slotOf(id)];
        return slot != null && AnyObjectId.isEqual(slot, id);
    }

    void add(AnyObjectId id) {
        slots[slotOf(id)] = id.copy();
    }

    private static int slotOf(AnyObjectId id) {
        return id.hashCode() & SLOTS - 1;
    }
}

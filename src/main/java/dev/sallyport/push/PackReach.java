package dev.sallyport.push;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.eclipse.jgit.lib.AnyObjectId;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.MutableObjectId;
import org.eclipse.jgit.lib.ObjectId;

/// Walks from the pushed tips through the objects of the pack and nothing else. Whatever of the
/// pack is not met is hidden; whatever is named and is neither in the pack nor at upstream is
/// missing.
final class PackReach {
    private static final int UNKNOWN = -1;

    private final ObjectSource objects;
    private final PackContents pack;
    private final Deadline deadline;
    private final RecentIds known = new RecentIds();
    private final MutableObjectId id = new MutableObjectId();
    private int[] open = new int[64];
    private int opened;

    PackReach(ObjectSource objects, Deadline deadline) {
        this.objects = objects;
        this.pack = objects.pack();
        this.deadline = deadline;
    }

    /// @throws PushRefusedException when something is missing
    void walk(List<ObjectId> tips) throws IOException {
        for (ObjectId tip : tips) {
            int position = pack.find(tip);
            meet(tip, typeIfKnown(position));
        }
        while (opened > 0) {
            deadline.check();
            follow(open[--opened]);
        }
    }

    int hiddenCount() {
        int hidden = 0;
        for (int i = 0; i < pack.count(); i++) {
            hidden += pack.isReached(i) ? 0 : 1;
        }
        return hidden;
    }

    String firstHidden() {
        for (int i = 0; i < pack.count(); i++) {
            if (!pack.isReached(i)) {
                return pack.describe(i);
            }
        }
        return "none";
    }

    private void follow(int position) throws IOException {
        ObjectId at = pack.id(position);
        switch (pack.type(position)) {
            case Constants.OBJ_COMMIT -> {
                CommitText commit = CommitText.parse(objects.commit(at));
                meet(commit.tree(), Constants.OBJ_TREE);
                for (ObjectId parent : commit.parents()) {
                    meet(parent, Constants.OBJ_COMMIT);
                }
            }
            case Constants.OBJ_TREE -> followTree(at);
            case Constants.OBJ_TAG -> meetTagged(objects.tag(at));
            default -> {
                // A blob names nothing.
            }
        }
    }

    private void meetTagged(byte[] raw) throws IOException {
        ObjectId target = CommitText.id(raw, 0, "object ");
        int position = pack.find(target);
        meet(target, typeIfKnown(position));
    }

    private int typeIfKnown(int position) {
        return position == PackContents.NONE ? UNKNOWN : pack.type(position);
    }

    private void followTree(ObjectId tree) throws IOException {
        TreeCursor entries = new TreeCursor(objects.tree(tree));
        while (entries.next()) {
            deadline.step();
            if (TreeCursor.isGitlink(entries.mode())) {
                continue;
            }
            entries.id(id);
            if (!known.contains(id)) {
                meet(id, entries.isTree() ? Constants.OBJ_TREE : Constants.OBJ_BLOB);
            }
        }
    }

    private void meet(AnyObjectId met, int type) throws IOException {
        int position = pack.find(met);
        if (position == PackContents.NONE) {
            if (!objects.mirror().has(met)) {
                throw PushRefusedException.missing(
                        (type == UNKNOWN ? "object" : Constants.typeString(type))
                                + " "
                                + met.name()
                                + " is neither in the pack nor in a branch or tag of upstream");
            }
            known.add(met);
            return;
        }
        if (!pack.isOfType(position, type)) {
            throw ObjectSource.wrongType(met, type);
        }
        if (pack.reach(position) && type != Constants.OBJ_BLOB) {
            push(position);
        }
    }

    private void push(int position) {
        if (opened == open.length) {
            open = Arrays.copyOf(open, opened * 2);
        }
        open[opened++] = position;
    }
}

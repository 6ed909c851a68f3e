package dev.sallyport.mirror;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.revwalk.RevObject;
import org.eclipse.jgit.treewalk.CanonicalTreeParser;

/// Looks for files and trees in trees, each of which is read once. What a tree names of another
/// repository (a submodule's commit) is not in it.
final class TreeSearch {
    /// Bounds memory: an id in a set takes about 100 bytes.
    private static final int TREES_MAX = 100_000;

    private final ObjectReader reader;
    private final Deadline deadline;
    private final Set<ObjectId> wanted = new HashSet<>();
    private final Set<ObjectId> found = new HashSet<>();
    private final Set<ObjectId> met = new HashSet<>();
    private int waitingMost;

    TreeSearch(ObjectReader reader, Deadline deadline) {
        this.reader = reader;
        this.deadline = deadline;
    }

    void lookFor(ObjectId id) {
        wanted.add(id.copy());
    }

    /// Whether nothing is left to look for.
    boolean isOver() {
        return wanted.isEmpty();
    }

    Set<ObjectId> found() {
        return found;
    }

    /// How many trees were to be read at once, at most.
    int waitingMost() {
        return waitingMost;
    }

    /// @param root a tree, or a file that stands alone
    void in(RevObject root) throws IOException {
        if (isOver()) {
            return;
        }
        match(root);
        if (root.getType() != Constants.OBJ_TREE) {
            return;
        }
        Deque<ObjectId> trees = new ArrayDeque<>();
        visit(root.copy(), trees);
        while (!trees.isEmpty() && !isOver()) {
            read(trees.pop(), trees);
        }
    }

    private void read(ObjectId tree, Deque<ObjectId> trees) throws IOException {
        History.requireTime(deadline);
        CanonicalTreeParser entries = new CanonicalTreeParser();
        for (entries.reset(reader, tree); !entries.eof(); entries.next()) {
            int mode = entries.getEntryRawMode();
            if (FileMode.GITLINK.equals(mode)) {
                continue;
            }
            ObjectId entry = entries.getEntryObjectId();
            match(entry);
            if (FileMode.TREE.equals(mode)) {
                visit(entry, trees);
            }
        }
    }

    /// Noted here and not when it is read: one tree can name another in each of its many entries.
    private void visit(ObjectId tree, Deque<ObjectId> trees) throws LimitException {
        if (met.add(tree)) {
            trees.push(tree);
            waitingMost = Math.max(waitingMost, trees.size());
        }
        if (met.size() > TREES_MAX) {
            throw new LimitException("there are too many trees to find objects in");
        }
    }

    private void match(ObjectId id) {
        if (wanted.remove(id)) {
            found.add(id.copy());
        }
    }
}

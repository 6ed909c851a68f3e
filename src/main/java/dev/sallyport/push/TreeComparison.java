package dev.sallyport.push;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.eclipse.jgit.lib.ObjectId;

/// Walks several trees side by side, as columns of a table with one line for each path, and shows
/// the lines in which they differ. Opens only directories that differ.
///
/// A pack of a few trees can name more paths than there are atoms, so lines are counted; trees can
/// be nested for ever, so paths have a length; a tree can have megabytes, so those that are open at
/// once are counted, too.
final class TreeComparison {
    private static final int PATH_BYTES_MAX = 4_096;
    private static final long OPEN_BYTES_MAX = 32L << 20;
    private static final byte[] EMPTY = {};

    /// Gets to see the lines that differ.
    interface Visitor {
        /// Returns whether to look into this directory.
        boolean enter(TreeLine line) throws IOException;

        void file(TreeLine line) throws IOException;
    }

    /// How many lines all comparisons of one push may show.
    static final class Budget {
        private final int max;
        private int shown;

        Budget(int max) {
            this.max = max;
        }

        void spend() {
            if (++shown > max) {
                throw PushRefusedException.limit("more than " + max + " changed paths");
            }
        }
    }

    private record Level(List<TreeCursor> cursors, int pathLength, long bytes) {}

    private final ObjectSource objects;
    private final Deadline deadline;
    private final Budget budget;
    private final Deque<Level> levels = new ArrayDeque<>();
    private long openBytes;

    TreeComparison(ObjectSource objects, Deadline deadline, Budget budget) {
        this.objects = objects;
        this.deadline = deadline;
        this.budget = budget;
    }

    /// @param roots one tree for each column; empty for one without any path
    void walk(List<Optional<ObjectId>> roots, Visitor visitor) throws IOException {
        TreeLine line = new TreeLine(roots.size(), PATH_BYTES_MAX);
        levels.clear();
        openBytes = 0;
        open(roots, 0);
        while (!levels.isEmpty()) {
            Level level = levels.getLast();
            deadline.step();
            if (!line.take(level.cursors(), level.pathLength())) {
                openBytes -= level.bytes();
                levels.removeLast();
                continue;
            }
            if (!line.isUniform()) {
                budget.spend();
                show(line, visitor);
            }
            line.advance();
        }
    }

    private void show(TreeLine line, Visitor visitor) throws IOException {
        if (!line.isTree()) {
            visitor.file(line);
        } else if (visitor.enter(line)) {
            deadline.check();
            open(line.ids(), line.pathLength() + 1);
        }
    }

    private void open(List<Optional<ObjectId>> trees, int pathLength) throws IOException {
        byte[][] raws = new byte[trees.size()][];
        long bytes = 0;
        for (int i = 0; i < raws.length; i++) {
            Optional<ObjectId> tree = trees.get(i);
            int same = trees.indexOf(tree);
            if (same < i) {
                raws[i] = raws[same];
            } else {
                raws[i] = tree.isEmpty() ? EMPTY : objects.tree(tree.get());
                bytes += raws[i].length;
            }
        }
        openBytes += bytes;
        if (openBytes > OPEN_BYTES_MAX) {
            throw PushRefusedException.limit("directories that are too large to compare");
        }
        List<TreeCursor> cursors = Arrays.stream(raws).map(TreeCursor::new).toList();
        for (TreeCursor cursor : cursors) {
            cursor.next();
        }
        levels.addLast(new Level(cursors, pathLength, bytes));
    }
}

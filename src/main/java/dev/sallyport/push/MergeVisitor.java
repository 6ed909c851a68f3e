package dev.sallyport.push;

import dev.sallyport.policy.Refusal;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.eclipse.jgit.lib.ObjectId;

/// Tells what a merge itself changes from what it merges. Column 0 is the merge, then come its
/// parents, then the merge bases.
///
/// A path is as a clean three-way merge leaves it when the merge has it from one parent and no
/// other parent had touched it. Everything else is the merge's own doing: an evil merge, and also
/// one that drops what upstream did (`-s ours`).
final class MergeVisitor implements TreeComparison.Visitor {
    static final int COLUMNS_MAX = 256;

    private final ObjectId commit;
    private final int parents;
    private final PathRules paths;
    private final Findings findings;
    private final Map<Long, int[]> bases = new HashMap<>();

    MergeVisitor(ObjectId commit, int parents, PathRules paths, Findings findings) {
        this.commit = commit;
        this.parents = parents;
        this.paths = paths;
        this.findings = findings;
    }

    /// @param one the number of a parent, from 0
    /// @param columns where the merge bases of the two are; none when they have nothing in common
    void setBases(int one, int other, int[] columns) {
        bases.put(key(one + 1, other + 1), columns);
    }

    private static long key(int one, int other) {
        return (long) Math.min(one, other) << 32 | Math.max(one, other);
    }

    @Override
    public boolean enter(TreeLine line) {
        return paths.concern(line.path());
    }

    @Override
    public void file(TreeLine line) {
        Optional<String> objection = paths.objection(line.path(), line.mode(0));
        if (objection.isPresent() && !isMerged(line)) {
            findings.add(
                    commit,
                    Refusal.PATH_NOT_ALLOWED,
                    ChangeVisitor.pathDetail(line, commit, objection.get()));
        }
    }

    private boolean isMerged(TreeLine line) {
        for (int parent = 1; parent <= parents; parent++) {
            if (line.isSame(0, parent) && isUntouchedByOthers(line, parent)) {
                return true;
            }
        }
        return false;
    }

    private boolean isUntouchedByOthers(TreeLine line, int parent) {
        for (int other = 1; other <= parents; other++) {
            if (!line.isSame(0, other) && !isUntouched(line, parent, other)) {
                return false;
            }
        }
        return true;
    }

    /// Whether `other` has what all merge bases with `parent` have.
    private boolean isUntouched(TreeLine line, int parent, int other) {
        int[] columns = bases.getOrDefault(key(parent, other), new int[0]);
        for (int column : columns) {
            if (!line.isSame(other, column)) {
                return false;
            }
        }
        return columns.length > 0 || !line.has(other);
    }
}

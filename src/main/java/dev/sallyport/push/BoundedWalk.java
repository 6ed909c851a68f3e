package dev.sallyport.push;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.eclipse.jgit.lib.AnyObjectId;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.revwalk.RevCommit;
import org.eclipse.jgit.revwalk.RevWalk;
import org.eclipse.jgit.revwalk.filter.RevFilter;

/// JGit's walk over history, with an end to the memory and time that it takes.
final class BoundedWalk extends RevWalk {
    /// A commit without its text takes some 150 bytes of heap.
    private static final int COMMITS_MAX = 300_000;

    private final Deadline deadline;
    private int commits;

    /// @param shallow commits at which the history ends, whatever parents they name
    BoundedWalk(ObjectReader reader, Set<ObjectId> shallow, Deadline deadline) throws IOException {
        super(reader);
        this.deadline = deadline;
        setRetainBody(false);
        assumeShallow(shallow);
    }

    @Override
    protected RevCommit createCommit(AnyObjectId id) {
        deadline.step();
        if (++commits > COMMITS_MAX) {
            throw PushRefusedException.limit(
                    "it takes more than " + COMMITS_MAX + " commits of history to judge this");
        }
        return super.createCommit(id);
    }

    boolean isAncestor(AnyObjectId ancestor, AnyObjectId of) throws IOException {
        return isMergedInto(parseCommit(ancestor), parseCommit(of));
    }

    /// All best common ancestors.
    List<ObjectId> mergeBases(AnyObjectId one, AnyObjectId other) throws IOException {
        reset();
        setRevFilter(RevFilter.MERGE_BASE);
        markStart(parseCommit(one));
        markStart(parseCommit(other));
        List<ObjectId> bases = new ArrayList<>();
        for (RevCommit base = next(); base != null; base = next()) {
            bases.add(base.copy());
        }
        return bases;
    }
}

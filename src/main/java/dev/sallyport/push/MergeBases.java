package dev.sallyport.push;

import java.io.IOException;
import java.util.List;
import org.eclipse.jgit.lib.ObjectId;
import org.jspecify.annotations.Nullable;

/// Common ancestors over the history of the push and of upstream together. Opened when first
/// needed, which is seldom.
///
/// The dates in new commits are the sandbox's choice and can make JGit miss a *best* common
/// ancestor. With any common ancestor the rule for merges holds: what a parent dropped since then,
/// it dropped in a commit that is judged itself. Where upstream is shallow and has none, what a
/// parent dropped is not known, so the push is denied.
final class MergeBases implements AutoCloseable {
    private final ObjectSource objects;
    private final Deadline deadline;
    private @Nullable BoundedWalk walk;

    MergeBases(ObjectSource objects, Deadline deadline) {
        this.objects = objects;
        this.deadline = deadline;
    }

    List<ObjectId> of(ObjectId one, ObjectId other) throws IOException {
        deadline.check();
        BoundedWalk opened = walk;
        if (opened == null) {
            opened =
                    new BoundedWalk(
                            objects.newJoinedReader(), objects.mirror().shallow(), deadline);
            walk = opened;
        }
        List<ObjectId> bases = opened.mergeBases(one, other);
        if (bases.isEmpty() && !objects.mirror().shallow().isEmpty()) {
            throw PushRefusedException.missing(
                    "the history of upstream is shallow and ends before both sides of a merge meet");
        }
        return bases;
    }

    @Override
    public void close() {
        if (walk != null) {
            walk.getObjectReader().close();
            walk.close();
        }
    }
}

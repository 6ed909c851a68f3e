package dev.sallyport.push;

import dev.sallyport.policy.Refusal;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.eclipse.jgit.errors.IncorrectObjectTypeException;
import org.eclipse.jgit.errors.MissingObjectException;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.revwalk.RevCommit;
import org.eclipse.jgit.revwalk.RevObject;
import org.eclipse.jgit.revwalk.RevWalk;
import org.jspecify.annotations.Nullable;

/// The commits that a push would bring upstream: reached from its tips and from no ref that is
/// there now.
///
/// What upstream's copy lacks is new without further question. Where the walk meets the copy,
/// JGit's own walk goes on there; if dates in upstream's history mislead it, it takes old commits
/// for new ones, never the other way round.
final class NewCommits {
    /// Of all new commits together: each is kept in memory.
    private static final int PARENTS_MAX = 300_000;

    private final ObjectSource objects;
    private final Deadline deadline;
    private final int commitsMax;
    private final Map<ObjectId, CommitText> commits = new LinkedHashMap<>();
    private final Set<ObjectId> border = new HashSet<>();
    private int parents;

    NewCommits(ObjectSource objects, Deadline deadline, int commitsMax) {
        this.objects = objects;
        this.deadline = deadline;
        this.commitsMax = commitsMax;
    }

    /// @param upstream what the refs of upstream point to
    void collect(Collection<ObjectId> tips, Collection<ObjectId> upstream) throws IOException {
        Deque<ObjectId> open = new ArrayDeque<>(tips);
        while (!open.isEmpty()) {
            deadline.check();
            ObjectId id = open.pop();
            if (commits.containsKey(id) || border.contains(id)) {
                continue;
            }
            if (objects.mirror().has(id)) {
                border.add(id);
            } else {
                open.addAll(add(id).parents());
            }
        }
        Set<ObjectId> unknown = new HashSet<>(border);
        unknown.removeAll(new HashSet<>(upstream));
        if (!unknown.isEmpty()) {
            collectInMirror(unknown, upstream);
        }
    }

    private CommitText add(ObjectId id) throws IOException {
        CommitText commit = CommitText.parse(objects.commit(id));
        commits.put(id, commit);
        parents += commit.parents().size();
        if (parents > PARENTS_MAX) {
            throw PushRefusedException.limit("new commits with too many parents");
        }
        if (commits.size() > commitsMax) {
            throw new PushRefusedException(
                    Refusal.TOO_MANY_COMMITS, "more than " + commitsMax + " new commits");
        }
        return commit;
    }

    private void collectInMirror(Set<ObjectId> starts, Collection<ObjectId> upstream)
            throws IOException {
        try (BoundedWalk walk = objects.mirror().walk(deadline)) {
            for (ObjectId start : starts) {
                walk.markStart(parse(walk, start));
            }
            exclude(walk, upstream);
            List<ObjectId> found = new ArrayList<>();
            for (RevCommit next = next(walk); next != null; next = next(walk)) {
                found.add(next.copy());
                if (found.size() > commitsMax) {
                    break;
                }
            }
            for (ObjectId id : found) {
                border.remove(id);
                add(id);
            }
        }
    }

    private static RevCommit parse(RevWalk walk, ObjectId id) throws IOException {
        try {
            return walk.parseCommit(id);
        } catch (IncorrectObjectTypeException e) {
            throw PushRefusedException.malformed(id.name() + " is not a commit, but a parent");
        } catch (IOException e) {
            throw UpstreamObjects.trouble(e);
        }
    }

    private static void exclude(RevWalk walk, Collection<ObjectId> upstream)
            throws MirrorTroubleException {
        for (ObjectId id : upstream) {
            try {
                RevObject target = walk.peel(walk.parseAny(id));
                if (target instanceof RevCommit commit) {
                    walk.markUninteresting(commit);
                }
            } catch (MissingObjectException e) {
                throw new MirrorTroubleException("the copy of upstream lacks " + id.name(), e);
            } catch (IOException e) {
                throw UpstreamObjects.trouble(e);
            }
        }
    }

    private static @Nullable RevCommit next(RevWalk walk) throws MirrorTroubleException {
        try {
            return walk.next();
        } catch (IOException e) {
            throw UpstreamObjects.trouble(e);
        }
    }

    /// In the order in which they were found, from the tips down.
    Map<ObjectId, CommitText> all() {
        return commits;
    }

    /// Whether a tip contains a commit that upstream has.
    boolean contains(ObjectId tip, ObjectId commit) throws IOException {
        Set<ObjectId> reached = new HashSet<>();
        Set<ObjectId> ends = new HashSet<>();
        walk(tip, reached, ends);
        if (reached.contains(commit) || ends.contains(commit)) {
            return true;
        }
        try (BoundedWalk walk = objects.mirror().walk(deadline)) {
            for (ObjectId end : ends) {
                deadline.check();
                if (walk.isAncestor(commit, end)) {
                    return true;
                }
            }
        } catch (IncorrectObjectTypeException e) {
            return false;
        } catch (IOException e) {
            throw UpstreamObjects.trouble(e);
        }
        return false;
    }

    /// The new commits that one tip brings, and the old ones that they rest upon.
    void walk(ObjectId tip, Set<ObjectId> reached, Set<ObjectId> ends) {
        Deque<ObjectId> open = new ArrayDeque<>(List.of(tip));
        while (!open.isEmpty()) {
            deadline.step();
            ObjectId id = open.pop();
            CommitText commit = commits.get(id);
            if (commit == null) {
                ends.add(id);
            } else if (reached.add(id)) {
                open.addAll(commit.parents());
            }
        }
    }
}

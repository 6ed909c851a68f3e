package dev.sallyport.mirror;

import dev.sallyport.policy.ObjectName;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import org.eclipse.jgit.errors.MissingObjectException;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.revwalk.RevCommit;
import org.eclipse.jgit.revwalk.RevObject;
import org.eclipse.jgit.revwalk.RevSort;
import org.eclipse.jgit.revwalk.RevTag;
import org.eclipse.jgit.revwalk.RevWalk;

/// Questions about the commits in a copy.
final class History {
    private static final int HAVES_MAX = 256;
    private static final int CANDIDATES_MAX = 4_096;

    private History() {}

    /// Of these tips the commits that are newest, to tell upstream what it need not send.
    static List<ObjectName> newest(Repository repository, List<ObjectName> tips)
            throws IOException {
        List<RevCommit> commits = new ArrayList<>();
        try (RevWalk walk = walk(repository)) {
            for (ObjectName tip : tips.subList(0, Math.min(tips.size(), CANDIDATES_MAX))) {
                if (peeled(walk, id(tip)) instanceof RevCommit commit) {
                    commits.add(commit);
                }
            }
        }
        return commits.stream()
                .distinct()
                .sorted(Comparator.comparingInt(RevCommit::getCommitTime).reversed())
                .limit(HAVES_MAX)
                .map(commit -> new ObjectName(commit.name()))
                .toList();
    }

    /// Follows the commits that are new with `tips`. Trees and files are not followed: where one is
    /// missing, judging a push fails, and that denies it.
    static void requireConnected(
            Repository repository, Collection<ObjectName> tips, List<ObjectName> old)
            throws IOException {
        List<ObjectName> boundary = newest(repository, old);
        try (RevWalk walk = walk(repository)) {
            for (ObjectName tip : tips) {
                if (peeled(walk, id(tip)) instanceof RevCommit commit) {
                    walk.markStart(commit);
                }
            }
            for (ObjectName known : boundary) {
                walk.markUninteresting(walk.parseCommit(id(known)));
            }
            for (RevCommit next = walk.next(); next != null; next = walk.next()) {
                next.disposeBody();
            }
        } catch (MissingObjectException _) {
            throw new WireException("upstream did not send all commits");
        }
    }

    /// Whether one of `tips` reaches the object: a commit through the history, a tag by being a
    /// tip; of files and trees, which are there only because some commit had them, presence is
    /// enough.
    static boolean reaches(Repository repository, Collection<ObjectName> tips, ObjectName wanted)
            throws IOException {
        if (tips.contains(wanted)) {
            return true;
        }
        try (RevWalk walk = walk(repository)) {
            RevObject object;
            try {
                object = walk.parseAny(id(wanted));
            } catch (MissingObjectException _) {
                return false;
            }
            return switch (object) {
                case RevCommit commit -> reachesCommit(walk, tips, commit);
                case RevTag tag -> reachesTag(walk, tips, tag);
                default -> true;
            };
        }
    }

    private static boolean reachesCommit(
            RevWalk walk, Collection<ObjectName> tips, RevCommit wanted) throws IOException {
        for (ObjectName tip : tips) {
            if (peeled(walk, id(tip)) instanceof RevCommit commit) {
                walk.markStart(commit);
            }
        }
        walk.sort(RevSort.COMMIT_TIME_DESC);
        for (RevCommit commit = walk.next(); commit != null; commit = walk.next()) {
            if (commit.equals(wanted)) {
                return true;
            }
        }
        return false;
    }

    /// A tag of a tag is reached through the outer one.
    private static boolean reachesTag(RevWalk walk, Collection<ObjectName> tips, RevTag wanted)
            throws IOException {
        for (ObjectName tip : tips) {
            RevObject object = walk.parseAny(id(tip));
            while (object instanceof RevTag tag) {
                if (tag.equals(wanted)) {
                    return true;
                }
                object = walk.parseAny(tag.getObject());
            }
        }
        return false;
    }

    private static RevObject peeled(RevWalk walk, ObjectId id) throws IOException {
        return walk.peel(walk.parseAny(id));
    }

    private static RevWalk walk(Repository repository) {
        RevWalk walk = new RevWalk(repository);
        walk.setRetainBody(false);
        return walk;
    }

    private static ObjectId id(ObjectName name) {
        return ObjectId.fromString(name.hex());
    }
}

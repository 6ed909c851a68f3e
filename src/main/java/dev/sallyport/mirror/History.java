package dev.sallyport.mirror;

import dev.sallyport.policy.ObjectName;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
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

    private final Repository repository;
    private final List<ObjectId> shallow;

    /// @param shallow commits at which the history ends, whatever parents they name
    History(Repository repository, Collection<ObjectName> shallow) {
        this.repository = repository;
        this.shallow = shallow.stream().map(History::id).toList();
    }

    /// Of these tips the commits that are newest, to tell upstream what it need not send.
    List<ObjectName> newest(List<ObjectName> tips) throws IOException {
        List<RevCommit> commits = new ArrayList<>();
        try (RevWalk walk = walk()) {
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
    void requireConnected(Collection<ObjectName> tips, List<ObjectName> old) throws IOException {
        List<ObjectName> boundary = newest(old);
        try (RevWalk walk = walk()) {
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

    /// Those of the objects that one of `tips` reaches: a commit through the history, a tag by
    /// being a tip; of files and trees, which are there only because some commit had them, presence
    /// is enough.
    Set<ObjectName> reached(Collection<ObjectName> tips, Set<ObjectName> wanted, Deadline deadline)
            throws IOException {
        Set<ObjectName> reached = new HashSet<>(tips);
        reached.retainAll(wanted);
        try (RevWalk walk = walk()) {
            Set<RevObject> tags = Set.of();
            boolean tagsKnown = false;
            Set<RevObject> commits = new HashSet<>();
            for (ObjectName id : wanted) {
                requireTime(deadline);
                if (reached.contains(id)) {
                    continue;
                }
                switch (parsed(walk, id).orElse(null)) {
                    case null -> {}
                    case RevCommit commit -> commits.add(commit);
                    case RevTag tag -> {
                        tags = tagsKnown ? tags : tagsOf(walk, tips);
                        tagsKnown = true;
                        if (tags.contains(tag)) {
                            reached.add(id);
                        }
                    }
                    default -> reached.add(id);
                }
            }
            search(walk, tips, commits, nothing(walk, deadline), reached, deadline);
        }
        return reached;
    }

    /// Those of the objects that one of `tips` reaches, files and trees by being in a tree of a
    /// commit that it reaches. The commit of another repository that a tree names is not.
    ///
    /// @throws LimitException when that would take too long to find out
    Set<ObjectName> reachedExactly(
            Collection<ObjectName> tips, Set<ObjectName> wanted, Deadline deadline)
            throws IOException {
        Set<ObjectName> reached = new HashSet<>(tips);
        reached.retainAll(wanted);
        try (RevWalk walk = walk()) {
            Set<RevObject> commits = new HashSet<>();
            Set<RevObject> tags = new HashSet<>();
            TreeSearch contents = new TreeSearch(walk.getObjectReader(), deadline);
            for (ObjectName id : wanted) {
                requireTime(deadline);
                if (reached.contains(id)) {
                    continue;
                }
                switch (parsed(walk, id).orElse(null)) {
                    case null -> {}
                    case RevCommit commit -> commits.add(commit);
                    case RevTag tag -> tags.add(tag);
                    case RevObject content -> contents.lookFor(content);
                }
            }
            if (!tags.isEmpty()) {
                tags.retainAll(tagsOf(walk, tips));
                tags.forEach(tag -> reached.add(new ObjectName(tag.name())));
            }
            search(walk, tips, commits, contents, reached, deadline);
            contents.found().forEach(id -> reached.add(new ObjectName(id.name())));
        }
        return reached;
    }

    /// Of objects that somebody says he has the commits that one of `tips` reaches. Others are not
    /// believed: that they are here must not be told.
    Set<ObjectName> commitsReached(
            Collection<ObjectName> tips, Set<ObjectName> claimed, Deadline deadline)
            throws IOException {
        Set<ObjectName> reached = new HashSet<>();
        try (RevWalk walk = walk()) {
            Set<RevObject> commits = new HashSet<>();
            for (ObjectName id : claimed) {
                requireTime(deadline);
                if (parsed(walk, id).orElse(null) instanceof RevCommit commit) {
                    commits.add(commit);
                }
            }
            search(walk, tips, commits, nothing(walk, deadline), reached, deadline);
        }
        return reached;
    }

    private static TreeSearch nothing(RevWalk walk, Deadline deadline) {
        return new TreeSearch(walk.getObjectReader(), deadline);
    }

    /// @param contents looked for as well, if that is anything
    private static void search(
            RevWalk walk,
            Collection<ObjectName> tips,
            Set<RevObject> commits,
            TreeSearch contents,
            Set<ObjectName> reached,
            Deadline deadline)
            throws IOException {
        if (commits.isEmpty() && contents.isOver()) {
            return;
        }
        for (ObjectName tip : tips) {
            switch (peeled(walk, id(tip))) {
                case RevCommit commit -> walk.markStart(commit);
                case RevObject content -> contents.in(content);
            }
        }
        walk.sort(RevSort.COMMIT_TIME_DESC);
        for (RevCommit next = walk.next(); next != null; next = walk.next()) {
            requireTime(deadline);
            if (commits.remove(next)) {
                reached.add(new ObjectName(next.name()));
            }
            contents.in(next.getTree());
            if (commits.isEmpty() && contents.isOver()) {
                return;
            }
        }
    }

    private static Optional<RevObject> parsed(RevWalk walk, ObjectName id) throws IOException {
        try {
            return Optional.of(walk.parseAny(id(id)));
        } catch (MissingObjectException _) {
            return Optional.empty();
        }
    }

    static void requireTime(Deadline deadline) throws IOException {
        if (Thread.currentThread().isInterrupted() || deadline.hasPassed()) {
            throw new LimitException("the history is too long to find objects in");
        }
    }

    /// A tag of a tag is reached through the outer one.
    private static Set<RevObject> tagsOf(RevWalk walk, Collection<ObjectName> tips)
            throws IOException {
        Set<RevObject> tags = new HashSet<>();
        for (ObjectName tip : tips) {
            RevObject object = walk.parseAny(id(tip));
            while (object instanceof RevTag tag && tags.add(tag)) {
                object = walk.parseAny(tag.getObject());
            }
        }
        return tags;
    }

    private static RevObject peeled(RevWalk walk, ObjectId id) throws IOException {
        return walk.peel(walk.parseAny(id));
    }

    private RevWalk walk() throws IOException {
        RevWalk walk = new RevWalk(repository);
        walk.setRetainBody(false);
        walk.assumeShallow(shallow);
        return walk;
    }

    private static ObjectId id(ObjectName name) {
        return ObjectId.fromString(name.hex());
    }
}

package dev.sallyport.push;

import dev.sallyport.approval.Question;
import dev.sallyport.approval.ShownText;
import dev.sallyport.policy.ObjectName;
import dev.sallyport.policy.RefName;
import dev.sallyport.policy.RefUpdate;
import dev.sallyport.policy.Refusal;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.eclipse.jgit.internal.storage.file.ObjectDirectory;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.lib.PersonIdent;
import org.eclipse.jgit.revwalk.RevCommit;
import org.eclipse.jgit.revwalk.RevObject;
import org.eclipse.jgit.revwalk.RevTree;

/// What a person is shown of a push that the judge accepted: its new commits, and what each ref
/// would change. Bounded in time and size; what does not fit is counted, and the diff says so.
///
/// The base of a branch that is there is where it is now; that of a new one is the newest of its
/// first parents that is not new. New is what no ref reaches that somebody looks after: a sandbox
/// could push something to a branch that nobody is asked about, and then have it released unseen.
public final class PushPreview implements AutoCloseable {
    private static final Duration TIME_MAX = Duration.ofSeconds(30);
    private static final int COMMITS_COUNTED_MAX = 10_000;
    private static final int NAME_CHARACTERS_MAX = 100;
    private static final int SUBJECT_CHARACTERS_MAX = 200;

    private final PushCase push;
    private final ObjectDirectory objects;
    private final ObjectReader reader;
    private final BoundedWalk walk;
    private final List<ObjectName> seen;
    private final List<Question.Commit> commits = new ArrayList<>();
    private final Set<ObjectId> fresh = new HashSet<>();

    private PushPreview(PushCase push) throws IOException {
        this.push = push;
        this.seen = seen(push);
        this.objects =
                push.pack().isPresent()
                        ? ObjectSource.open(
                                push.quarantine().resolve("objects"), push.mirrorObjects())
                        : ObjectSource.open(push.mirrorObjects());
        this.reader = objects.newReader();
        Set<ObjectId> shallow = push.shallow().stream().map(Tip::idOf).collect(Collectors.toSet());
        this.walk = new BoundedWalk(reader, shallow, Deadline.in(TIME_MAX, new WholeTime()));
    }

    /// Blocks. Whatever goes wrong is an error: nobody says yes to what cannot be shown.
    public static Question.Push of(PushCase push, List<String> options) throws IOException {
        try (PushPreview preview = new PushPreview(push)) {
            return preview.make(options);
        } catch (PushRefusedException e) {
            throw new IOException("a push cannot be shown: " + e.detail(), e);
        }
    }

    private Question.Push make(List<String> options) throws IOException {
        DiffText diff = new DiffText(reader);
        collectCommits();
        for (RefUpdate update : push.updates()) {
            Optional<RevCommit> after = commit(Tip.idOf(update.after()), update.isDelete());
            if (after.isPresent()) {
                Optional<RevTree> base = base(update, after.get()).map(RevCommit::getTree);
                diff.add(base, after.get().getTree());
            }
        }
        return new Question.Push(
                push.updates().stream().map(PushPreview::command).toList(),
                options.stream().map(ShownText::line).toList(),
                commits,
                fresh.size(),
                diff.files(),
                diff.filesTotal(),
                diff.text(),
                diff.isComplete() && (push.upstream().isEmpty() || !seen.isEmpty()));
    }

    private static Question.Command command(RefUpdate update) {
        return new Question.Command(
                ShownText.line(update.ref().value()), update.before().hex(), update.after().hex());
    }

    private void collectCommits() throws IOException {
        for (RefUpdate update : push.updates()) {
            Optional<RevCommit> tip = commit(Tip.idOf(update.after()), update.isDelete());
            if (tip.isPresent()) {
                walk.markStart(tip.get());
            }
        }
        for (ObjectName id : seen.isEmpty() ? push.upstream().values() : seen) {
            Optional<RevCommit> known = commit(Tip.idOf(id), false);
            if (known.isPresent()) {
                walk.markUninteresting(known.get());
            }
        }
        for (RevCommit next = walk.next(); next != null; next = walk.next()) {
            fresh.add(next.copy());
            if (commits.size() < Question.COMMITS_MAX) {
                commits.add(shown(next));
            }
            if (fresh.size() > COMMITS_COUNTED_MAX) {
                throw new PushRefusedException(Refusal.TOO_MANY_COMMITS, "too many to show");
            }
        }
    }

    /// Where the refs are whose commits need not be shown again. The one ref of a push is among
    /// them: the question is what becomes of it.
    private static List<ObjectName> seen(PushCase push) {
        List<RefName> refs = push.updates().stream().map(RefUpdate::ref).toList();
        return push.upstream().entrySet().stream()
                .filter(
                        known ->
                                !push.rules().isUnasked(known.getKey())
                                        || refs.equals(List.of(known.getKey())))
                .map(Map.Entry::getValue)
                .toList();
    }

    /// The walk keeps no texts: it may meet very many commits.
    private Question.Commit shown(RevCommit id) throws IOException {
        byte[] raw = reader.open(id, Constants.OBJ_COMMIT).getBytes();
        RevCommit commit = RevCommit.parse(raw);
        PersonIdent author = commit.getAuthorIdent();
        String who = author == null ? "" : author.getName() + " <" + author.getEmailAddress() + ">";
        return new Question.Commit(
                id.name(),
                ShownText.line(who, NAME_CHARACTERS_MAX),
                ShownText.line(commit.getShortMessage(), SUBJECT_CHARACTERS_MAX));
    }

    /// What a ref or tag leads to; empty for what is no commit.
    private Optional<RevCommit> commit(ObjectId id, boolean gone) throws IOException {
        if (gone) {
            return Optional.empty();
        }
        RevObject target = walk.peel(walk.parseAny(id));
        return target instanceof RevCommit commit ? Optional.of(commit) : Optional.empty();
    }

    private Optional<RevCommit> base(RefUpdate update, RevCommit after) throws IOException {
        if (!update.isCreate()) {
            return commit(Tip.idOf(update.before()), false);
        }
        RevCommit at = after;
        while (fresh.contains(at)) {
            if (at.getParentCount() == 0) {
                return Optional.empty();
            }
            at = walk.parseCommit(at.getParent(0));
        }
        return Optional.of(at);
    }

    @Override
    public void close() {
        walk.close();
        reader.close();
        objects.close();
    }

    /// Nobody else waits for this.
    private static final class WholeTime implements Slice {
        @Override
        public Duration length() {
            return TIME_MAX;
        }

        @Override
        public boolean renew() {
            return true;
        }

        @Override
        public boolean isAlone() {
            return false;
        }
    }
}

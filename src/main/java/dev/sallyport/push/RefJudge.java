package dev.sallyport.push;

import dev.sallyport.policy.ContentRules;
import dev.sallyport.policy.ObjectName;
import dev.sallyport.policy.RefUpdate;
import dev.sallyport.policy.Refusal;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;

/// Judges the refs of one push whose pack is in quarantine, and what they bring.
final class RefJudge implements AutoCloseable {
    private final PushCase push;
    private final ObjectSource objects;
    private final Deadline deadline;
    private final Objections objections;
    private final NewCommits commits;
    private final MergeBases bases;
    private final Findings findings = new Findings();
    private final LfsPointers pointers;
    private final List<Tip> tips = new ArrayList<>();

    RefJudge(PushCase push, ObjectSource objects, Deadline deadline, Objections objections) {
        this.push = push;
        this.objects = objects;
        this.deadline = deadline;
        this.objections = objections;
        this.commits = new NewCommits(objects, deadline, push.rules().content().commitsMax());
        this.bases = new MergeBases(objects, deadline);
        this.pointers = new LfsPointers(objects);
    }

    Verdict judge(SecretFinder finder, long largestBytes) throws IOException {
        judgeReach();
        if (objections.isEmpty()) {
            judgeMoves();
        }
        if (!objections.isEmpty()) {
            return objections.refusal();
        }
        ContentRules rules = push.rules().content();
        SecretScreen secrets =
                new SecretScreen(rules.secrets(), finder, objects, findings, deadline);
        judgeTags(secrets);
        CommitJudge judge =
                new CommitJudge(
                        push.rules(), objects, deadline, findings, secrets, bases, pointers);
        judge.limitFiles(largestBytes);
        for (Map.Entry<ObjectId, CommitText> commit : oldestFirst()) {
            if (findings.isFull()) {
                break;
            }
            judge.judge(commit.getKey(), commit.getValue(), commits.all());
        }
        if (findings.isEmpty()) {
            return new Verdict.Accepted(secrets.warnings(), pointers.all(), findings.touched());
        }
        attribute();
        return objections.refusal();
    }

    private List<Map.Entry<ObjectId, CommitText>> oldestFirst() {
        return new ArrayList<>(commits.all().entrySet()).reversed();
    }

    private void judgeReach() throws IOException {
        List<ObjectId> after = new ArrayList<>();
        for (RefUpdate update : push.updates()) {
            if (!update.isDelete()) {
                after.add(Tip.idOf(update.after()));
            }
        }
        PackReach reach = new PackReach(objects, deadline);
        reach.walk(after);
        if (reach.hiddenCount() > 0) {
            String detail = reach.hiddenCount() + " objects, among them " + reach.firstHidden();
            throw new PushRefusedException(Refusal.HIDDEN_OBJECTS, detail);
        }
    }

    private void judgeMoves() throws IOException {
        Set<ObjectId> starts = new HashSet<>();
        for (RefUpdate update : push.updates()) {
            if (update.isDelete()) {
                continue;
            }
            Tip tip = Tip.of(update, objects);
            if (!tip.isFit()) {
                objections.add(update.ref(), Refusal.NOT_A_COMMIT, "object " + update.after());
                continue;
            }
            tips.add(tip);
            tip.commit().ifPresent(starts::add);
        }
        commits.collect(starts, upstreamIds());
        for (Tip tip : tips) {
            judgeMove(tip);
        }
    }

    private Set<ObjectId> upstreamIds() {
        Set<ObjectId> ids = new HashSet<>();
        for (ObjectName name : push.upstream().values()) {
            ids.add(Tip.idOf(name));
        }
        return ids;
    }

    private void judgeMove(Tip tip) throws IOException {
        RefUpdate update = tip.update();
        if (push.rules().force() || update.isCreate() || update.before().equals(update.after())) {
            return;
        }
        if (update.ref().isTag()) {
            objections.add(update.ref(), Refusal.FORCE_NOT_ALLOWED, "the tag already exists");
        } else if (!commits.contains(tip.commit().orElseThrow(), Tip.idOf(update.before()))) {
            objections.add(
                    update.ref(),
                    Refusal.FORCE_NOT_ALLOWED,
                    "commit " + update.before() + " would be dropped");
        }
    }

    private void judgeTags(SecretScreen secrets) throws IOException {
        for (Tip tip : tips) {
            for (ObjectId tag : tip.tags()) {
                int position = objects.pack().find(tag);
                if (position != PackContents.NONE
                        && objects.pack().isNew(position, objects.mirror())) {
                    int start = "object \n".length() + Constants.OBJECT_ID_STRING_LENGTH;
                    secrets.text(tag, "tag", objects.tag(tag), start);
                }
            }
        }
    }

    /// Gives every ref the findings in what it brings.
    private void attribute() {
        for (Tip tip : tips) {
            Set<ObjectId> brought = new HashSet<>(tip.tags());
            commits.walk(tip.commit().orElseThrow(), brought, new HashSet<>());
            for (Map.Entry<ObjectId, CommitText> commit : oldestFirst()) {
                if (objections.isFull(tip.update().ref())) {
                    break;
                }
                if (brought.contains(commit.getKey())) {
                    objectTo(tip, commit.getKey());
                }
            }
            tip.tags().forEach(tag -> objectTo(tip, tag));
        }
    }

    private void objectTo(Tip tip, ObjectId object) {
        for (Findings.Finding finding : findings.of(object)) {
            objections.add(tip.update().ref(), finding.reason(), finding.detail());
        }
    }

    @Override
    public void close() {
        bases.close();
    }
}

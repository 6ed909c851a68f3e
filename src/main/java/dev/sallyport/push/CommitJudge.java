package dev.sallyport.push;

import dev.sallyport.policy.AddressPattern;
import dev.sallyport.policy.ContentRules;
import dev.sallyport.policy.PushRules;
import dev.sallyport.policy.Refusal;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.eclipse.jgit.lib.ObjectId;

/// Judges what one new commit is and changes.
final class CommitJudge {
    private static final int CHANGED_PATHS_MAX = 2_000_000;

    private final ContentRules rules;
    private final PathRules paths;
    private final ObjectSource objects;
    private final Deadline deadline;
    private final Findings findings;
    private final SecretScreen secrets;
    private final MergeBases bases;
    private final LfsPointers pointers;
    private boolean sizesMatter = true;
    private final TreeComparison.Budget budget = new TreeComparison.Budget(CHANGED_PATHS_MAX);

    CommitJudge(
            PushRules rules,
            ObjectSource objects,
            Deadline deadline,
            Findings findings,
            SecretScreen secrets,
            MergeBases bases,
            LfsPointers pointers) {
        this.rules = rules.content();
        this.paths = new PathRules(rules);
        this.objects = objects;
        this.deadline = deadline;
        this.findings = findings;
        this.secrets = secrets;
        this.bases = bases;
        this.pointers = pointers;
    }

    /// @param largestBytes of the biggest object in the pack
    void limitFiles(long largestBytes) {
        sizesMatter = largestBytes > rules.fileBytesMax();
    }

    /// @param fresh all new commits of the push
    void judge(ObjectId id, CommitText commit, Map<ObjectId, CommitText> fresh) throws IOException {
        deadline.check();
        judgeAddresses(id, commit);
        if (!secrets.isOff()) {
            secrets.text(id, "commit", objects.commit(id), commit.textStart());
        }
        List<Optional<ObjectId>> columns = new ArrayList<>();
        columns.add(Optional.of(commit.tree()));
        for (ObjectId parent : commit.parents()) {
            columns.add(Optional.of(treeOf(parent, fresh)));
        }
        if (commit.parents().isEmpty()) {
            columns.add(Optional.empty());
        }
        ChangeVisitor changes =
                new ChangeVisitor(
                        id, columns.size() - 1, paths, objects, findings, secrets, pointers);
        changes.limitFiles(sizesMatter ? rules.fileBytesMax() : Long.MAX_VALUE);
        compare().walk(columns, changes);
        changes.end();
        if (changes.needsMergeBases()) {
            judgeMerge(id, commit, columns, fresh);
        }
    }

    private void judgeMerge(
            ObjectId id,
            CommitText commit,
            List<Optional<ObjectId>> columns,
            Map<ObjectId, CommitText> fresh)
            throws IOException {
        MergeVisitor visitor = new MergeVisitor(id, columns.size() - 1, paths, findings);
        List<Optional<ObjectId>> wider = new ArrayList<>(columns);
        for (int one = 0; one < commit.parents().size(); one++) {
            for (int other = one + 1; other < commit.parents().size(); other++) {
                List<ObjectId> found =
                        bases.of(commit.parents().get(one), commit.parents().get(other));
                List<Optional<ObjectId>> trees = new ArrayList<>();
                for (ObjectId base : found) {
                    trees.add(Optional.of(treeOf(base, fresh)));
                }
                visitor.setBases(one, other, widen(wider, trees));
            }
        }
        compare().walk(wider, visitor);
    }

    /// Columns for these trees, new ones where there are none yet.
    private static int[] widen(List<Optional<ObjectId>> columns, List<Optional<ObjectId>> trees) {
        int[] at = new int[trees.size()];
        for (int i = 0; i < at.length; i++) {
            int known = columns.indexOf(trees.get(i));
            at[i] = known < 0 ? columns.size() : known;
            if (known < 0) {
                columns.add(trees.get(i));
            }
        }
        if (columns.size() > MergeVisitor.COLUMNS_MAX) {
            throw PushRefusedException.limit("a merge of too many histories");
        }
        return at;
    }

    private TreeComparison compare() {
        return new TreeComparison(objects, deadline, budget);
    }

    private ObjectId treeOf(ObjectId commit, Map<ObjectId, CommitText> fresh) throws IOException {
        CommitText known = fresh.get(commit);
        return known != null ? known.tree() : CommitText.parse(objects.commit(commit)).tree();
    }

    private void judgeAddresses(ObjectId id, CommitText commit) {
        if (rules.authors().isEmpty()) {
            return;
        }
        List<AddressPattern> allowed = rules.authors().get();
        for (Optional<String> address : commit.addresses()) {
            String text = address.orElse("");
            if (allowed.stream().noneMatch(pattern -> pattern.matches(text))) {
                String detail =
                        "address " + Printable.of(text) + " in commit " + id.abbreviate(7).name();
                findings.add(id, Refusal.AUTHOR_NOT_ALLOWED, detail);
                return;
            }
        }
    }
}

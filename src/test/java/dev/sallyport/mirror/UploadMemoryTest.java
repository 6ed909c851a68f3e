package dev.sallyport.mirror;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.git.Git;
import dev.sallyport.policy.ObjectName;
import dev.sallyport.policy.RefName;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.eclipse.jgit.internal.storage.file.FileRepository;
import org.eclipse.jgit.internal.storage.file.Pack;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.TreeFormatter;
import org.eclipse.jgit.revwalk.RevWalk;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Attack I17 on the copy: repositories whose objects take much more memory than their number says.
final class UploadMemoryTest {
    private static final int FILE_BYTES = 4 << 20;
    private static final int WIDTH = 2_000;
    private static final int DEPTH = 40;

    @TempDir Path dir;

    @BeforeEach
    void isolate() {
        IsolatedGit.install();
    }

    /// A short file that is stored as a delta of a long one, which JGit reads into memory for it.
    @Test
    void whatADeltaNeedsIsTakenFromTheBudget() throws Exception {
        Git.ok(dir, "init", "-q", "-b", "main", "repo");
        Path repo = dir.resolve("repo");
        byte[] noise = new byte[FILE_BYTES];
        new Random(1).nextBytes(noise);
        commit(repo, noise);
        noise[FILE_BYTES / 2]++;
        commit(repo, noise);
        Git.ok(repo, "repack", "-q", "-a", "-d", "-f");
        Map<RefName, ObjectName> shown =
                Map.of(
                        RefName.parse("refs/heads/main"),
                        ObjectName.parse(Git.ok(repo, "rev-parse", "HEAD")));
        Set<ObjectName> wants = Set.copyOf(shown.values());

        try (FileRepository repository = open(repo)) {
            Pack pack = repository.getObjectDatabase().getPacks().iterator().next();
            PackWeights weights = new PackWeights(1L << 30);
            assertThat(weights.of(pack, Deadline.in(60))).isBetween(2L * FILE_BYTES, 12L << 20);

            HeapBudget large = new HeapBudget(6L * FILE_BYTES);
            prepare(repository, shown, weights, large, wants).close();
            // What was taken is there again.
            prepare(repository, shown, weights, large, wants).close();
            HeapBudget small = new HeapBudget(FILE_BYTES);
            assertThatThrownBy(() -> prepare(repository, shown, weights, small, wants))
                    .isInstanceOf(OvergrownException.class);
        }
    }

    /// Two that each need most of the budget are not answered at the same time.
    @Test
    void aSlowReaderOfHeavyObjectsIsAlone() throws Exception {
        HeapBudget budget = new HeapBudget(6L * FILE_BYTES);
        HeapBudget.Share first = budget.share(Deadline.in(60));
        first.take(10, 2L * FILE_BYTES);
        assertThatThrownBy(() -> budget.share(Deadline.in(0)).take(10, 2L * FILE_BYTES))
                .isInstanceOf(LimitException.class);
        first.giveBack();
        budget.share(Deadline.in(60)).take(10, 2L * FILE_BYTES);
    }

    private static Upload prepare(
            FileRepository repository,
            Map<RefName, ObjectName> shown,
            PackWeights weights,
            HeapBudget budget,
            Set<ObjectName> wants)
            throws Exception {
        return Upload.prepare(
                repository, shown, weights, budget.share(Deadline.in(60)), wants, Set.of());
    }

    private static void commit(Path repo, byte[] content) throws Exception {
        Files.write(repo.resolve("noise"), content);
        Git.ok(repo, "add", "noise");
        Git.ok(repo, "commit", "-q", "-m", "noise");
    }

    private static FileRepository open(Path repo) throws Exception {
        return new FileRepository(new File(repo.toFile(), Constants.DOT_GIT));
    }

    /// Trees of which each names the next in all its entries.
    @Test
    void aTreeThatIsNamedOftenIsRememberedOnce() throws Exception {
        Git.ok(dir, "init", "-q", "-b", "main", "repo");
        try (FileRepository repository = open(dir.resolve("repo"));
                ObjectInserter inserter = repository.newObjectInserter();
                RevWalk walk = new RevWalk(repository)) {
            ObjectId next = inserter.insert(Constants.OBJ_TREE, new byte[0]);
            for (int level = 0; level < DEPTH; level++) {
                TreeFormatter tree = new TreeFormatter();
                for (int i = 0; i < WIDTH; i++) {
                    tree.append(String.format("%05d", i), FileMode.TREE, next);
                }
                next = inserter.insert(tree);
            }
            inserter.flush();
            TreeSearch search = new TreeSearch(walk.getObjectReader(), Deadline.in(60));
            search.lookFor(ObjectId.fromString("1".repeat(40)));
            search.in(walk.parseTree(next));
            assertThat(search.isOver()).isFalse();
            assertThat(search.waitingMost()).isEqualTo(1);
        }
    }
}

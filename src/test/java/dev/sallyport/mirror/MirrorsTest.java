package dev.sallyport.mirror;

import static dev.sallyport.mirror.MirrorRig.ref;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.config.Limits;
import dev.sallyport.git.Git;
import dev.sallyport.policy.ObjectName;
import dev.sallyport.policy.Refusal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Copies of repositories on a real git server.
final class MirrorsTest {
    private static final String APP = "acme/app";

    @TempDir Path dir;

    private MirrorRig rig;

    @BeforeEach
    void start() throws IOException {
        rig = new MirrorRig(dir);
        rig.repository(APP, 5);
    }

    @AfterEach
    void stop() {
        rig.close();
    }

    @Test
    void theFirstCopyIsCompleteAndTheSecondRefreshOnlyAsks() throws Exception {
        try (Mirror mirror = rig.refresh(APP)) {
            assertThat(mirror.refs()).containsOnlyKeys(ref("heads/main"));
            assertThat(mirror.refs().get(ref("heads/main"))).isEqualTo(rig.id(APP, "HEAD"));
            assertThat(MirrorRig.reaches(mirror, rig.id(APP, "HEAD~4"))).isTrue();
            assertThat(MirrorRig.reaches(mirror, rig.id(APP, "HEAD~2^{tree}"))).isTrue();
            assertThat(MirrorRig.fsck(mirror)).doesNotContain("missing", "error");
        }
        assertThat(rig.asked()).containsExactly("GET", "POST");
        rig.told.clear();
        rig.touch(APP);
        assertThat(rig.asked()).containsExactly("GET");
        assertThat(rig.told).as("nobody had to wait").isEmpty();
    }

    @Test
    void aCopyOutlivesTheProcessThatMadeIt() throws Exception {
        rig.touch(APP);
        rig.restart(MirrorRig.limits());
        rig.asked();
        try (Mirror mirror = rig.refresh(APP)) {
            assertThat(MirrorRig.reaches(mirror, rig.id(APP, "HEAD~1"))).isTrue();
        }
        assertThat(rig.asked()).containsExactly("GET");
    }

    @Test
    void everySessionAsksWithItsOwnRights() throws Exception {
        rig.touch(APP);
        assertThatThrownBy(
                        () ->
                                rig.mirrors.refresh(
                                        MirrorRig.permit(APP),
                                        MirrorRig.credentials("another"),
                                        rig.progress))
                .isInstanceOfSatisfying(
                        MirrorException.class,
                        e -> assertThat(e.refusal()).isEqualTo(Refusal.CREDENTIAL_REFUSED));
    }

    @Test
    void newCommitsAreFetchedAndNothingElse() throws Exception {
        rig.touch(APP);
        long before = Files.size(rig.files(".pack").getFirst());
        ObjectName added = rig.commit(APP, "more", "more");
        rig.push(APP, "HEAD:refs/heads/main");
        try (Mirror mirror = rig.refresh(APP)) {
            assertThat(mirror.refs()).containsEntry(ref("heads/main"), added);
            assertThat(MirrorRig.reaches(mirror, added)).isTrue();
            assertThat(MirrorRig.fsck(mirror)).doesNotContain("missing", "error");
        }
        List<Path> packs = rig.files(".pack");
        assertThat(packs).hasSize(2);
        assertThat(packs).anySatisfy(pack -> assertThat(Files.size(pack)).isLessThan(before));
    }

    @Test
    void afterAForcedPushTheOldCommitIsNoLongerReached() throws Exception {
        rig.touch(APP);
        ObjectName old = rig.id(APP, "HEAD");
        Git.ok(rig.seed(APP), "reset", "-q", "--hard", "HEAD~2");
        ObjectName other = rig.commit(APP, "other", "way");
        rig.push(APP, "HEAD:refs/heads/main");
        try (Mirror mirror = rig.refresh(APP)) {
            assertThat(mirror.refs()).containsEntry(ref("heads/main"), other);
            assertThat(MirrorRig.reaches(mirror, other)).isTrue();
            assertThat(MirrorRig.reaches(mirror, old)).isFalse();
        }
    }

    @Test
    void aDeletedBranchIsGone() throws Exception {
        ObjectName side = rig.commit(APP, "side", "side");
        rig.push(APP, "HEAD:refs/heads/side");
        rig.touch(APP);
        rig.push(APP, ":refs/heads/side");
        try (Mirror mirror = rig.refresh(APP)) {
            assertThat(mirror.refs()).containsOnlyKeys(ref("heads/main"));
            assertThat(MirrorRig.reaches(mirror, side)).isFalse();
        }
    }

    @Test
    void anEmptyRepositoryIsACopyOfNothing() throws Exception {
        rig.empty("acme/new");
        try (Mirror mirror = rig.refresh("acme/new")) {
            assertThat(mirror.refs()).isEmpty();
            assertThat(mirror.objects()).isDirectory();
            assertThat(MirrorRig.reaches(mirror, rig.id(APP, "HEAD"))).isFalse();
        }
        rig.asked();
        rig.commit("acme/new", "first", "first");
        rig.push("acme/new", "HEAD:refs/heads/main");
        try (Mirror mirror = rig.refresh("acme/new")) {
            assertThat(MirrorRig.reaches(mirror, rig.id("acme/new", "HEAD"))).isTrue();
        }
    }

    @Test
    void annotatedTagsAreReachedByTipAndPeeledNamesAreNot() throws Exception {
        Git.ok(rig.seed(APP), "tag", "-a", "-m", "one", "v1");
        Git.ok(rig.seed(APP), "tag", "light");
        rig.push(APP, "v1", "light");
        try (Mirror mirror = rig.refresh(APP)) {
            assertThat(mirror.refs())
                    .containsOnlyKeys(ref("heads/main"), ref("tags/v1"), ref("tags/light"))
                    .containsEntry(ref("tags/v1"), rig.id(APP, "v1"));
            assertThat(MirrorRig.reaches(mirror, rig.id(APP, "v1"))).isTrue();
        }
        rig.push(APP, ":refs/tags/v1");
        try (Mirror mirror = rig.refresh(APP)) {
            assertThat(MirrorRig.reaches(mirror, rig.id(APP, "v1"))).isFalse();
        }
    }

    @Test
    void whatIsNotVisibleIsNotInTheCopy() throws Exception {
        ObjectName hidden = rig.commit(APP, "hidden", "hidden");
        rig.push(APP, "HEAD:refs/heads/secret/plan");
        try (Mirror all = rig.refresh(APP);
                Mirror some = rig.refresh(APP, "refs/heads/main")) {
            assertThat(MirrorRig.reaches(all, hidden)).isTrue();
            assertThat(all.objects()).isNotEqualTo(some.objects());
            assertThat(some.refs()).containsOnlyKeys(ref("heads/main"));
            assertThat(MirrorRig.reaches(some, hidden)).isFalse();
            assertThat(MirrorRig.reaches(some, rig.id(APP, "HEAD:hidden"))).isFalse();
        }
    }

    @Test
    void manyAtOnceShareOneFetch() throws Exception {
        rig.repository("acme/other", 2);
        List<Callable<ObjectName>> tasks = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            String repo = i % 3 == 0 ? "acme/other" : APP;
            tasks.add(
                    () -> {
                        try (Mirror mirror = rig.refresh(repo)) {
                            ObjectName tip = mirror.refs().values().iterator().next();
                            assertThat(MirrorRig.reaches(mirror, tip)).isTrue();
                            return tip;
                        }
                    });
        }
        try (ExecutorService workers = Executors.newFixedThreadPool(12)) {
            for (Future<ObjectName> done : workers.invokeAll(tasks)) {
                assertThat(done.get()).isNotNull();
            }
        }
        assertThat(rig.asked()).filteredOn("POST"::equals).hasSize(2);
        assertThat(rig.entries()).hasSize(2);
    }

    @Test
    void theLeastRecentlyUsedCopyGoesButNeverALentOne() throws Exception {
        noise("acme/a");
        noise("acme/b");
        noise("acme/c");
        rig.restart(new Limits.Mirror(250_000, 250_000, 1_000, 60));
        try (Mirror lent = rig.refresh("acme/a")) {
            rig.touch("acme/b");
            rig.touch("acme/c");
            assertThat(rig.entries()).hasSize(2);
            assertThat(MirrorRig.reaches(lent, rig.id("acme/a", "HEAD"))).isTrue();
        }
        rig.asked();
        rig.touch("acme/a");
        assertThat(rig.asked()).containsExactly("GET");
        rig.touch("acme/b");
        assertThat(rig.asked()).as("it had gone").containsExactly("GET", "POST");
    }

    private void noise(String name) throws IOException {
        rig.empty(name);
        byte[] noise = new byte[100_000];
        new Random(name.hashCode()).nextBytes(noise);
        Files.write(rig.seed(name).resolve("noise"), noise);
        rig.commit(name, "x", "x");
        rig.push(name, "HEAD:refs/heads/main");
    }

    @Test
    void aRepositoryThatIsTooLargeLeavesNothing() throws Exception {
        noise("acme/large");
        rig.restart(new Limits.Mirror(1 << 20, 50_000, 1_000, 60));
        refused("acme/large", Refusal.MIRROR_UNAVAILABLE);
        assertThat(rig.entries()).isEmpty();
        assertThat(rig.asked()).containsExactly("GET", "POST");
        refused("acme/large", Refusal.MIRROR_UNAVAILABLE);
        assertThat(rig.asked()).as("it is not fetched in a loop").containsExactly("GET");
        rig.restart(new Limits.Mirror(50_000, 1 << 20, 1_000, 60));
        refused("acme/large", Refusal.MIRROR_UNAVAILABLE);
        assertThat(rig.entries()).isEmpty();
    }

    private void refused(String repo, Refusal refusal) {
        assertThatThrownBy(() -> rig.touch(repo))
                .isInstanceOfSatisfying(
                        MirrorException.class, e -> assertThat(e.refusal()).isEqualTo(refusal));
    }

    @Test
    void whatIsMissingUpstreamIsUnavailable() throws Exception {
        refused("acme/none", Refusal.REPO_NOT_FOUND);
        assertThat(rig.entries()).isEmpty();
    }

    @Test
    void anAdoptedPackSavesTheFetch() throws Exception {
        try (Mirror mirror = rig.refresh(APP)) {
            String before = rig.id(APP, "HEAD").hex();
            ObjectName pushed = rig.commit(APP, "pushed", "pushed");
            Path pack = pack(before);
            mirror.adopt(pack, Path.of(pack.toString().replace(".pack", ".idx")));
            rig.push(APP, "HEAD:refs/heads/main");
            rig.asked();
            try (Mirror next = rig.refresh(APP)) {
                assertThat(MirrorRig.reaches(next, pushed)).isTrue();
                assertThat(MirrorRig.fsck(next)).doesNotContain("missing", "error");
            }
            assertThat(rig.asked()).containsExactly("GET");
        }
    }

    @Test
    void aBadPackIsNotAdopted() throws Exception {
        try (Mirror mirror = rig.refresh(APP)) {
            String before = rig.id(APP, "HEAD").hex();
            rig.commit(APP, "pushed", "pushed");
            Path pack = pack(before);
            mirror.adopt(pack, rig.files(".idx").getFirst());
            Files.write(pack, new byte[] {1, 2, 3});
            mirror.adopt(pack, Path.of(pack.toString().replace(".pack", ".idx")));
        }
        assertThat(rig.files(".pack")).hasSize(1);
        assertThat(rig.files("")).noneMatch(file -> file.toString().contains("incoming"));
    }

    private Path pack(String since) throws IOException {
        Path prefix = Files.createDirectories(dir.resolve("quarantine")).resolve("pack");
        String name =
                dev.sallyport.fixture.Command.of("git", "pack-objects", "--revs", prefix.toString())
                        .in(rig.seed(APP))
                        .input("HEAD\n^" + since + "\n")
                        .run()
                        .ok()
                        .strip();
        return Path.of(prefix + "-" + name + ".pack");
    }

    @Test
    void manySmallPacksBecomeFewWhenNobodyWaits() throws Exception {
        rig.touch(APP);
        for (int i = 0; i < 51; i++) {
            try (Mirror mirror = rig.refresh(APP)) {
                String before = rig.id(APP, "HEAD").hex();
                rig.commit(APP, "small", "small " + i);
                Path pack = pack(before);
                mirror.adopt(pack, Path.of(pack.toString().replace(".pack", ".idx")));
            }
        }
        rig.push(APP, "HEAD:refs/heads/main");
        long deadline = System.nanoTime() + 60_000_000_000L;
        while (rig.files(".pack").size() > 3 && System.nanoTime() < deadline) {
            LockSupport.parkNanos(50_000_000);
        }
        assertThat(rig.files(".pack").size()).isLessThanOrEqualTo(3);
        rig.asked();
        try (Mirror mirror = rig.refresh(APP)) {
            assertThat(MirrorRig.reaches(mirror, rig.id(APP, "HEAD~30"))).isTrue();
            assertThat(MirrorRig.fsck(mirror)).doesNotContain("missing", "error");
        }
        assertThat(rig.asked()).containsExactly("GET");
        assertThat(rig.files("")).noneMatch(file -> file.toString().contains("incoming"));
    }
}

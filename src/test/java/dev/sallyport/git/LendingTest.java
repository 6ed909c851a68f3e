package dev.sallyport.git;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.policy.MirrorUse;
import dev.sallyport.policy.RefPattern;
import dev.sallyport.policy.RefVisibility;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Who is given objects as files.
final class LendingTest {
    @TempDir Path dir;

    private Path directory(String name) throws Exception {
        Files.createDirectories(dir.resolve("lent/.pool"));
        return Files.createDirectory(dir.resolve("lent").resolve(name));
    }

    @Test
    void whoMayReadIsGivenAllAndItIsRecordedFirst() throws Exception {
        try (BoundaryRig rig = BoundaryRig.mirrored(dir, RefVisibility.all(), MirrorUse.AUTO)) {
            Path one = directory("one");
            assertThat(rig.door.lend(one)).isTrue();
            assertThat(Git.ok(one, "--git-dir=" + one, "rev-parse", "refs/heads/main"))
                    .isEqualTo(rig.upstream("refs/heads/main"));
            assertThat(rig.door.recorded("git.share")).hasSize(1);
        }
    }

    @Test
    void withoutARecordNothingIsGiven() throws Exception {
        try (BoundaryRig rig = BoundaryRig.mirrored(dir, RefVisibility.all(), MirrorUse.AUTO)) {
            rig.door.recorderBroken = true;
            Path one = directory("one");
            assertThat(rig.door.lend(one)).isFalse();
            assertThat(one).isEmptyDirectory();
        }
    }

    @Test
    void whoseRightsAreWithdrawnIsGivenNothingThoughItIsHere() throws Exception {
        try (BoundaryRig rig = BoundaryRig.mirrored(dir, RefVisibility.all(), MirrorUse.AUTO)) {
            assertThat(rig.door.lend(directory("one"))).isTrue();
            rig.backend.fail(_ -> 404);
            Path two = directory("two");
            assertThat(rig.door.lend(two)).isFalse();
            assertThat(two).isEmptyDirectory();
            assertThat(rig.door.recorded("git.share")).hasSize(1);
        }
    }

    @Test
    void whoSeesOnlySomeRefsIsGivenNothing() throws Exception {
        try (BoundaryRig rig =
                BoundaryRig.mirrored(
                        dir,
                        RefVisibility.of(List.of(RefPattern.parseFull("refs/heads/main"))),
                        MirrorUse.ON)) {
            Path one = directory("one");
            assertThat(rig.door.lend(one)).isFalse();
            assertThat(one).isEmptyDirectory();
        }
    }

    @Test
    void aRepositoryThatIsNotToBeCopiedIsNotShared() throws Exception {
        try (BoundaryRig rig = BoundaryRig.mirrored(dir, RefVisibility.all(), MirrorUse.OFF)) {
            Path one = directory("one");
            assertThat(rig.door.lend(one)).isFalse();
            assertThat(one).isEmptyDirectory();
        }
    }

    @Test
    void manyAtOnceFetchOnce() throws Exception {
        try (BoundaryRig rig = BoundaryRig.mirrored(dir, RefVisibility.all(), MirrorUse.AUTO)) {
            rig.backend.seen().clear();
            List<Future<Boolean>> all = new ArrayList<>();
            try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
                for (int i = 0; i < CopyFetches.PLACES_PER_SANDBOX_MAX; i++) {
                    Path one = directory("n" + i);
                    all.add(threads.submit(() -> rig.door.lend(one)));
                }
            }
            for (Future<Boolean> one : all) {
                assertThat(one.get()).isTrue();
            }
            assertThat(rig.backend.seen().stream().filter(seen -> seen.method().equals("POST")))
                    .hasSize(1);
        }
    }
}

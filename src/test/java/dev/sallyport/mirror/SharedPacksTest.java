package dev.sallyport.mirror;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.git.Git;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What sandboxes get to read of a copy that has more than upstream shows them.
final class SharedPacksTest {
    private static final String APP = "acme/app";

    @TempDir Path dir;

    private MirrorRig rig;
    private Path lent;

    @BeforeEach
    void start() throws IOException {
        rig = new MirrorRig(dir);
        rig.repository(APP, 3);
        lent = dir.resolve("lent");
        Files.createDirectories(lent.resolve(".pool"));
    }

    @AfterEach
    void stop() {
        rig.close();
    }

    private Path share(String name) throws Exception {
        Path directory = Files.createDirectory(lent.resolve(name));
        try (Mirror mirror = rig.refresh(APP)) {
            mirror.share(directory, () -> {});
        }
        return directory;
    }

    private static List<Path> packs(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory.resolve("objects/pack"))) {
            return files.filter(file -> file.toString().endsWith(".pack")).sorted().toList();
        }
    }

    private static boolean has(Path directory, String id) {
        return Git.run(directory, "--git-dir=" + directory, "cat-file", "-e", id).exit() == 0;
    }

    @Test
    void isAWholeRepositoryOfWhatTheRefsReach() throws Exception {
        Path shared = share("one");
        String all = Git.ok(rig.seed(APP), "rev-list", "--objects", "HEAD");
        String there = Git.ok(shared, "--git-dir=" + shared, "rev-list", "--objects", "--all");
        assertThat(there.lines()).hasSameElementsAs(all.lines().toList());
        Git.ok(shared, "--git-dir=" + shared, "fsck", "--full", "--strict");
        for (Path pack : packs(shared)) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(pack)))
                    .isEqualTo("r--r--r--");
        }
    }

    @Test
    void clonesShareTheirFilesWithEachOtherAndNotWithTheCopy() throws Exception {
        Path one = packs(share("one")).getFirst();
        Path two = packs(share("two")).getFirst();
        assertThat(Files.isSameFile(one, two)).isTrue();
        for (Path own : rig.files(".pack")) {
            assertThat(Files.getAttribute(own, "unix:nlink")).isEqualTo(1);
            assertThat(Files.isSameFile(own, one)).isFalse();
        }
    }

    @Test
    void whatUpstreamShowsNoLongerIsNotShared() throws Exception {
        rig.commit(APP, "secret", "a secret\n");
        rig.push(APP, "HEAD:refs/heads/hidden");
        String commit = rig.id(APP, "HEAD").hex();
        String blob = rig.id(APP, "HEAD:secret").hex();
        Path before = share("before");
        assertThat(has(before, commit)).isTrue();
        rig.push(APP, ":refs/heads/hidden");

        Path after = share("after");

        try (Mirror mirror = rig.refresh(APP)) {
            assertThat(has(mirror.objects().resolveSibling(""), blob)).isTrue();
        }
        for (String hidden : List.of(commit, blob)) {
            assertThat(has(after, hidden)).isFalse();
        }
        assertThat(has(before, commit)).as("who has it keeps it").isTrue();
        assertThat(packs(after)).as("the trunk was not written again").hasSize(1);
        assertThat(Files.isSameFile(packs(after).getFirst(), trunk(before))).isTrue();
    }

    /// The one of two packs that has the first commit.
    private Path trunk(Path shared) throws IOException {
        String first = rig.id(APP, "HEAD~1").hex();
        for (Path pack : packs(shared)) {
            String index = pack.toString().replace(".pack", ".idx");
            if (Git.ok(shared, "verify-pack", "-v", index).contains(first)) {
                return pack;
            }
        }
        throw new AssertionError("nobody has it");
    }

    @Test
    void aRewrittenBranchIsNotSharedEither() throws Exception {
        share("one");
        String old = rig.id(APP, "HEAD").hex();
        Git.ok(rig.seed(APP), "reset", "-q", "--hard", "HEAD~1");
        rig.commit(APP, "other", "other\n");
        rig.push(APP, "HEAD:refs/heads/main");
        assertThat(has(share("two"), old)).isFalse();
    }

    @Test
    void newCommitsComeInAPackOfTheirOwn() throws Exception {
        Path one = packs(share("one")).getFirst();
        rig.commit(APP, "new", "new\n");
        rig.push(APP, "HEAD:refs/heads/main");
        Path two = share("two");
        assertThat(packs(two)).hasSize(2);
        assertThat(packs(two)).anySatisfy(pack -> assertThat(Files.isSameFile(pack, one)).isTrue());
        Git.ok(two, "--git-dir=" + two, "fsck", "--full", "--strict");
    }

    @Test
    void withoutARecordThereIsNothingToRead() throws Exception {
        Path directory = Files.createDirectory(lent.resolve("one"));
        try (Mirror mirror = rig.refresh(APP)) {
            assertThatThrownBy(
                            () ->
                                    mirror.share(
                                            directory,
                                            () -> {
                                                throw new IOException("not recorded");
                                            }))
                    .isInstanceOf(IOException.class);
        }
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void whatAnEarlierProcessLeftIsNotUsed() throws Exception {
        Path one = packs(share("one")).getFirst();
        rig.restart(MirrorRig.limits());
        Path two = packs(share("two")).getFirst();
        assertThat(Files.isSameFile(one, two)).isFalse();
        try (Stream<Path> left = Files.walk(lent.resolve(".pool"))) {
            assertThat(left.filter(file -> file.toString().endsWith(".pack"))).hasSize(1);
        }
    }
}

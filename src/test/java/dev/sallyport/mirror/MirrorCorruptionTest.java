package dev.sallyport.mirror;

import static dev.sallyport.mirror.MirrorRig.ref;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.policy.ObjectName;
import dev.sallyport.policy.Refusal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Somebody or something spoils a copy: the next refresh ends in a good one.
final class MirrorCorruptionTest {
    private static final String APP = "acme/app";

    @TempDir Path dir;

    private MirrorRig rig;

    @BeforeEach
    void start() throws Exception {
        rig = new MirrorRig(dir);
        rig.repository(APP, 3);
        rig.touch(APP);
        rig.asked();
    }

    @AfterEach
    void stop() {
        rig.close();
    }

    @ParameterizedTest
    @CsvSource({
        ".pack, cut", ".pack, empty", ".pack, flip", ".pack, gone",
        ".idx, cut", ".idx, empty", ".idx, flip", ".idx, gone",
        "manifest, cut", "manifest, empty", "manifest, flip", "manifest, gone",
        "config, flip", "config, gone", "HEAD, gone"
    })
    void aSpoiltFileIsNoticedAtOnceAndByTheNextProcess(String file, String how) throws Exception {
        spoil(rig.files(file).getFirst(), how);
        boolean onlyReadOnce = !file.startsWith(".");
        if (onlyReadOnce) {
            rig.restart(MirrorRig.limits());
        }
        requireGoodCopyBuiltAnew();
        rig.restart(MirrorRig.limits());
        spoil(rig.files(file).getFirst(), how);
        requireGoodCopyBuiltAnew();
    }

    private static void spoil(Path file, String how) throws IOException {
        byte[] content = Files.readAllBytes(file);
        switch (how) {
            case "cut" -> Files.write(file, java.util.Arrays.copyOf(content, content.length - 7));
            case "empty" -> Files.write(file, new byte[0]);
            case "flip" -> {
                content[content.length / 2] ^= 4;
                Files.write(file, content);
            }
            case "gone" -> Files.delete(file);
            default -> throw new AssertionError(how);
        }
    }

    private void requireGoodCopyBuiltAnew() throws Exception {
        rig.asked();
        try (Mirror mirror = rig.refresh(APP)) {
            assertThat(mirror.refs()).containsEntry(ref("heads/main"), rig.id(APP, "HEAD"));
            assertThat(MirrorRig.reaches(mirror, rig.id(APP, "HEAD~2"))).isTrue();
            assertThat(MirrorRig.fsck(mirror)).doesNotContain("missing", "error");
        }
        assertThat(rig.asked()).containsExactly("GET", "POST");
        assertThat(rig.entries()).hasSize(1);
    }

    @Test
    void aFileThatWasOnlyTouchedIsBelieved() throws Exception {
        Path pack = rig.files(".pack").getFirst();
        Files.write(pack, Files.readAllBytes(pack));
        rig.touch(APP);
        rig.restart(MirrorRig.limits());
        rig.touch(APP);
        assertThat(rig.asked()).containsOnly("GET");
    }

    @Test
    void whatAKilledProcessLeftIsClearedAway() throws Exception {
        Path copy = rig.files("manifest").getFirst().resolveSibling("");
        Path packs = copy.resolve("objects/pack");
        Files.write(packs.resolve("incoming-1.pack"), new byte[100]);
        Files.write(packs.resolve("pack-" + "1".repeat(40) + ".pack"), new byte[100]);
        Files.createDirectories(copy.resolve("objects/info"));
        Files.writeString(copy.resolve("objects/info/alternates"), dir + "\n");
        Files.createDirectories(copy.resolve("hooks"));
        Path half = Files.createDirectories(rig.directory.resolve("new-1/objects/pack"));
        Files.write(half.resolve("incoming-2.pack"), new byte[100]);
        Files.createDirectories(rig.directory.resolve("a".repeat(64) + "-" + "b".repeat(36)));
        rig.restart(MirrorRig.limits());
        rig.touch(APP);
        assertThat(rig.asked()).as("the copy itself is good").containsExactly("GET");
        assertThat(rig.entries()).hasSize(1);
        assertThat(rig.files(".pack")).hasSize(1);
        assertThat(rig.files("alternates")).isEmpty();
        assertThat(copy.resolve("hooks")).doesNotExist();
    }

    @Test
    void aDistrustedCopyIsBuiltAnewButNotInALoop() throws Exception {
        try (Mirror lent = rig.refresh(APP)) {
            lent.distrust();
            rig.asked();
            try (Mirror other = rig.refresh(APP)) {
                assertThat(other.objects()).isNotEqualTo(lent.objects());
                assertThat(MirrorRig.reaches(lent, rig.id(APP, "HEAD~1")))
                        .as("who has it can use it to the end")
                        .isTrue();
                other.distrust();
            }
            assertThat(rig.asked()).containsExactly("GET", "POST");
            assertThatThrownBy(() -> rig.touch(APP))
                    .isInstanceOfSatisfying(
                            MirrorException.class,
                            e -> assertThat(e.refusal()).isEqualTo(Refusal.MIRROR_UNAVAILABLE));
            assertThat(rig.asked()).doesNotContain("POST");
        }
        assertThat(rig.entries()).hasSize(1);
    }

    @Test
    void distrustOutlivesTheProcess() throws Exception {
        try (Mirror mirror = rig.refresh(APP)) {
            mirror.distrust();
        }
        rig.restart(MirrorRig.limits());
        requireGoodCopyBuiltAnew();
    }

    /// Bytes are flipped where no seal is looked at any more: behind the back of an open copy,
    /// after the refresh. Whatever is said about an object is true or an error.
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void flippedBytesNeverGiveAWrongObject(int seed) throws Exception {
        ObjectName absent = new ObjectName("1".repeat(40));
        List<ObjectName> commits =
                List.of(rig.id(APP, "HEAD"), rig.id(APP, "HEAD~1"), rig.id(APP, "HEAD~2"));
        Random random = new Random(seed);
        Path pack = rig.files(random.nextBoolean() ? ".pack" : ".idx").getFirst();
        byte[] content = Files.readAllBytes(pack);
        content[random.nextInt(content.length)] ^= (byte) (1 << random.nextInt(8));
        Files.write(pack, content);
        rig.restart(MirrorRig.limits());
        try (Mirror mirror = rig.refresh(APP)) {
            for (ObjectName commit : commits) {
                assertThat(MirrorRig.reaches(mirror, commit)).isTrue();
            }
            assertThat(MirrorRig.reaches(mirror, absent)).isFalse();
            assertThat(MirrorRig.fsck(mirror)).doesNotContain("missing", "error");
        }
    }
}

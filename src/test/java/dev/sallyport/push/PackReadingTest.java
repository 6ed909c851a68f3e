package dev.sallyport.push;

import static dev.sallyport.push.PackMaker.BLOB;
import static dev.sallyport.push.PackMaker.TREE;
import static dev.sallyport.push.PushRig.reasons;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.config.Limits;
import dev.sallyport.fixture.Slices;
import dev.sallyport.mirror.IsolatedGit;
import dev.sallyport.policy.PushRules;
import dev.sallyport.policy.Refusal;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What is read of a pack while it arrives. That the verdict is the same is held by [PushRig],
/// which judges every push in both ways.
class PackReadingTest {
    private static final String BRANCH = "refs/heads/agent/x";

    @TempDir Path root;

    /// Counts what it is shown.
    private final AtomicLong scanned = new AtomicLong();

    private final AtomicInteger files = new AtomicInteger();
    private final SecretFinder counting =
            content -> {
                files.incrementAndGet();
                scanned.addAndGet(content.readAllBytes().length);
                return List.of();
            };

    private PackReading reading(byte[] pack) throws Exception {
        IsolatedGit.install();
        Path file = Files.write(root.resolve("pack"), pack);
        return new Judge(Limits.standard().push(), counting).reading(PushRules.standard(), file);
    }

    private static byte[] random(int seed, int length) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    @Test
    void whatHasArrivedIsScannedOnceAndWhatHasNotIsNot() throws Exception {
        PackMaker pack = new PackMaker();
        for (int i = 0; i < 10; i++) {
            pack.whole(BLOB, random(i, 100_000));
        }
        int half = pack.offset();
        for (int i = 10; i < 20; i++) {
            pack.whole(BLOB, random(i, 100_000));
        }
        try (PackReading reading = reading(pack.build())) {
            reading.readSome(half, Slices.whole());
            reading.readSome(half, Slices.whole());
            assertThat(files).hasValueBetween(9, 10);
            reading.readSome(pack.offset() + 20L, Slices.whole());
            assertThat(files).hasValue(20);
            assertThat(scanned).hasValue(20 * 100_000L);
        }
    }

    /// 312 kB that inflate to 300 MB: nothing may be inflated that the pack is too short for.
    @Test
    void g8ABombThatArrivesWaitsForMoreAndIsRefusedWhenThereIsNone() throws Exception {
        PushRig rig = new PushRig(root);
        rig.finder = counting;
        PackMaker pack = new PackMaker();
        for (int i = 0; i < 200; i++) {
            byte[] zeros = new byte[1_500_000];
            zeros[0] = (byte) i;
            pack.whole(BLOB, zeros);
        }
        byte[] bytes = pack.build();
        assertThat(bytes.length).isLessThan(400_000);
        try (PackReading reading = reading(bytes)) {
            reading.readSome(bytes.length, Slices.whole());
            assertThat(scanned.get()).isLessThan(80L << 20);
        }
        scanned.set(0);
        Verdict verdict = rig.pushBytes(BRANCH, "1".repeat(40), bytes);
        assertThat(reasons(verdict)).containsExactly(Refusal.PACK_LIMIT);
        assertThat(scanned.get()).isLessThan(80L << 20);
    }

    @Test
    void goesOnWhereItWasStopped() throws Exception {
        PackMaker pack = new PackMaker();
        for (int i = 0; i < 40; i++) {
            pack.whole(BLOB, random(i, 100_000));
        }
        byte[] bytes = pack.build();
        try (PackReading reading = reading(bytes)) {
            Slice none = Slices.of(Duration.ZERO, () -> false);
            assertThatThrownBy(() -> reading.readSome(bytes.length, none))
                    .isInstanceOf(Slice.OverException.class);
            reading.readSome(bytes.length, Slices.whole());
        }
        assertThat(files).hasValue(40);
    }

    /// Larger than what is held in memory, and found in what was scanned from the disk.
    @Test
    void aLargeFileIsHashedAndScannedToo() throws Exception {
        PushRig rig = new PushRig(root);
        byte[] large = random(1, 5 << 20);
        byte[] secret = "\nSECRET-abc\n".getBytes(StandardCharsets.US_ASCII);
        PackMaker clean = new PackMaker();
        assertThat(reasons(rig.pushBytes(BRANCH, push(clean, large), clean.build()))).isEmpty();
        System.arraycopy(secret, 0, large, 4 << 20, secret.length);
        PackMaker dirty = new PackMaker();
        assertThat(reasons(rig.pushBytes(BRANCH, push(dirty, large), dirty.build())))
                .containsExactly(Refusal.SECRET_FOUND);
    }

    private static String push(PackMaker pack, byte[] file) {
        pack.whole(BLOB, file);
        byte[] tree = PackMaker.treeEntry("100644", "file", PackMaker.id(BLOB, file));
        pack.whole(TREE, tree);
        return PackMaker.hex(pack.rootCommit(tree));
    }

    /// Enough for all helpers: the first bad one is told, whoever finds it.
    @Test
    void aBadObjectAmongManyIsFound() throws Exception {
        PushRig rig = new PushRig(root);
        PackMaker pack = new PackMaker();
        List<byte[]> ids = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            byte[] file = random(i, 60_000);
            pack.whole(BLOB, file);
            ids.add(PackMaker.id(BLOB, file));
        }
        pack.whole(TREE, PackMaker.treeEntry("100644", ".git", ids.get(3)));
        pack.whole(TREE, PackMaker.treeEntry("100644", "n".repeat(300), ids.get(3)));
        for (int i = 30; i < 60; i++) {
            pack.whole(BLOB, random(i, 60_000));
        }
        Verdict verdict = rig.pushBytes(BRANCH, PackMaker.hex(ids.get(0)), pack.build());
        assertThat(reasons(verdict)).containsExactly(Refusal.MALFORMED_PACK);
        assertThat(PushRig.details(verdict)).contains(".git");
    }

    /// What was read is in memory for as long as the sender likes. The judgement reads the rest.
    @Test
    void i17WhoeverSendsManyObjectsAndStopsHoldsFewOfThemInMemory() throws Exception {
        PackMaker pack = new PackMaker();
        byte[] deflated = PackMaker.deflate(random(1, 3));
        int count = PackReading.EARLY_OBJECTS_MAX + 1_000;
        for (int i = 0; i < count; i++) {
            pack.entry(BLOB, 3, new byte[0], deflated);
        }
        byte[] bytes = pack.build();
        try (PackReading reading = reading(bytes)) {
            reading.readSome(bytes.length - 1, Slices.whole());
            assertThat(files).hasValue(PackReading.EARLY_OBJECTS_MAX);
            assertThat(reading.awaitsRest()).isTrue();
            PackEntries all = reading.readAll(bytes.length, reading.deadline(Slices.whole()));
            assertThat(all.count()).isEqualTo(count);
            assertThat(all.areAllKnown()).isTrue();
        }
        assertThat(files).hasValue(count);
    }

    @Test
    void i17ALargeTreeIsHeldOnlyWhenThePackIsComplete() throws Exception {
        ByteArrayOutputStream tree = new ByteArrayOutputStream();
        for (int i = 0; tree.size() < 3 << 20; i++) {
            tree.writeBytes(PackMaker.treeEntry("100644", "%06d".formatted(i), random(i, 20)));
        }
        PackMaker pack = new PackMaker();
        pack.whole(BLOB, random(1, 100));
        pack.whole(TREE, tree.toByteArray());
        pack.whole(BLOB, random(2, 100));
        byte[] bytes = pack.build();
        try (PackReading reading = reading(bytes)) {
            reading.readSome(bytes.length - 1, Slices.whole());
            assertThat(files).hasValue(1);
            assertThat(reading.awaitsRest()).isTrue();
            PackEntries all = reading.readAll(bytes.length, reading.deadline(Slices.whole()));
            assertThat(all.areAllKnown()).isTrue();
        }
        assertThat(files).hasValue(2);
    }

    @Test
    void theSameFaultIsToldInHoweverManyPiecesThePackCame() throws Exception {
        byte[] deflated = PackMaker.deflate(random(1, 1_000));
        deflated[deflated.length - 1] ^= 1;
        PackMaker pack = new PackMaker();
        pack.entry(BLOB, 10, new byte[0], deflated);
        byte[] bytes = pack.build();
        for (int arrived : new int[] {0, pack.offset() - 100, bytes.length}) {
            try (PackReading reading = reading(bytes)) {
                reading.readSome(arrived, Slices.whole());
                Deadline deadline = reading.deadline(Slices.whole());
                assertThatThrownBy(() -> reading.readAll(bytes.length, deadline))
                        .isInstanceOfSatisfying(
                                PushRefusedException.class,
                                e -> assertThat(e.detail()).contains("longer than it says"));
            }
        }
    }
}

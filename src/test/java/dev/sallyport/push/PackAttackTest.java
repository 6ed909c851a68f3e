package dev.sallyport.push;

import static dev.sallyport.push.PackMaker.BLOB;
import static dev.sallyport.push.PackMaker.TREE;
import static dev.sallyport.push.PushRig.details;
import static dev.sallyport.push.PushRig.reasons;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.config.Limits;
import dev.sallyport.fixture.Slices;
import dev.sallyport.policy.Refusal;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Packs that no git would make. Each ends in a refusal, in bounded time and memory.
class PackAttackTest {
    private static final String BRANCH = "refs/heads/agent/x";
    private static final byte[] FILE = "file\n".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] FILE_ID = PackMaker.id(BLOB, FILE);
    private static final byte[] TREE_OF_FILE = PackMaker.treeEntry("100644", "file", FILE_ID);

    @TempDir Path root;
    private PushRig rig;
    private PackMaker pack;

    @BeforeEach
    void emptyUpstream() throws Exception {
        rig = new PushRig(root);
        pack = new PackMaker();
    }

    private Verdict push(byte[] tip, byte[] bytes) throws Exception {
        return rig.pushBytes(BRANCH, PackMaker.hex(tip), bytes);
    }

    private byte[] good() {
        pack.whole(BLOB, FILE);
        pack.whole(TREE, TREE_OF_FILE);
        return pack.rootCommit(TREE_OF_FILE);
    }

    private void assertMalformed(byte[] tip, byte[] bytes) throws Exception {
        assertThat(reasons(push(tip, bytes))).containsExactly(Refusal.MALFORMED_PACK);
    }

    private void limits(int objects, long inflated, int depth, long chain) {
        rig.limits =
                new Limits.Push(2, 1 << 20, 300, objects, inflated, 200, depth, chain, 8L << 30);
    }

    @Test
    void acceptsAPackMadeByHand() throws Exception {
        byte[] tip = good();
        assertThat(reasons(push(tip, pack.build()))).isEmpty();
    }

    @Test
    void g8RefusesLiesAboutTheCount() throws Exception {
        byte[] tip = good();
        assertMalformed(tip, pack.build(2));
        assertMalformed(tip, pack.build(4));
        assertThat(reasons(push(tip, pack.build(-1)))).containsExactly(Refusal.PACK_LIMIT);
        assertThat(reasons(push(tip, pack.build(500_001)))).containsExactly(Refusal.PACK_LIMIT);
    }

    @Test
    void g8RefusesEveryTruncationAndWhatFollows() throws Exception {
        byte[] tip = good();
        byte[] whole = pack.build();
        for (int length = 0; length < whole.length; length += 7) {
            assertMalformed(tip, Arrays.copyOf(whole, length));
        }
        assertMalformed(tip, Arrays.copyOf(whole, whole.length - 1));
        assertMalformed(tip, Arrays.copyOf(whole, whole.length + 1));
        whole[whole.length - 1] ^= 1;
        assertMalformed(tip, whole);
    }

    @Test
    void g8RefusesOtherVersionsAndTypes() throws Exception {
        byte[] tip = good();
        pack.version = 3;
        assertMalformed(tip, pack.build());
        pack.version = 2;
        pack.entry(0, 0, new byte[0], PackMaker.deflate(new byte[0]));
        assertMalformed(tip, pack.build());
        pack = new PackMaker();
        pack.entry(5, 0, new byte[0], PackMaker.deflate(new byte[0]));
        assertMalformed(tip, pack.build());
    }

    @Test
    void g8RefusesLiesAboutSizes() throws Exception {
        for (long size : new long[] {4, 6, 1L << 20, 1L << 40, Long.MAX_VALUE}) {
            pack = new PackMaker();
            pack.entry(BLOB, size, new byte[0], PackMaker.deflate(FILE));
            assertThat(reasons(push(FILE_ID, pack.build())))
                    .hasSize(1)
                    .first()
                    .isIn(Refusal.MALFORMED_PACK, Refusal.FILE_TOO_LARGE);
        }
    }

    @Test
    void g8RefusesAZlibBomb() throws Exception {
        byte[] zeros = new byte[90 << 20];
        pack.whole(BLOB, zeros);
        byte[] tip = good();
        Verdict verdict = push(tip, pack.build());
        assertThat(reasons(verdict)).containsExactly(Refusal.PACK_LIMIT);
        assertThat(details(verdict)).contains("200 times");
        limits(1_000, 80 << 20, 100, 1 << 20);
        assertThat(reasons(push(tip, pack.build()))).containsExactly(Refusal.PACK_LIMIT);
    }

    @Test
    void g8RefusesADeltaBomb() throws Exception {
        byte[] base = new byte[4 << 20];
        int at = pack.whole(BLOB, base);
        byte[] instructions = new byte[4 * 64];
        for (int i = 0; i < instructions.length; i += 4) {
            instructions[i] = (byte) 0b1111_0000;
            instructions[i + 3] = 4;
        }
        pack.ofs(at, PackMaker.delta(base.length, 16 << 20, instructions));
        Verdict verdict = push(FILE_ID, pack.build());
        assertThat(reasons(verdict)).hasSize(1);
        pack.ofs(at, PackMaker.delta(base.length, 1L << 40, instructions));
        assertThat(reasons(push(FILE_ID, pack.build()))).containsExactly(Refusal.FILE_TOO_LARGE);
    }

    @Test
    void g8RefusesDeepAndWideChains() throws Exception {
        byte[] content = "0".repeat(100).getBytes(StandardCharsets.US_ASCII);
        int at = pack.whole(BLOB, content);
        for (int i = 0; i < 60; i++) {
            content[i] = '1';
            at = pack.ofs(at, PackMaker.insert(100, content));
        }
        limits(1_000, 1 << 20, 50, 1 << 20);
        Verdict verdict = push(FILE_ID, pack.build());
        assertThat(reasons(verdict)).containsExactly(Refusal.PACK_LIMIT);
        assertThat(details(verdict)).contains("60 deep");
        limits(1_000, 1 << 20, 100, 5_000);
        verdict = push(FILE_ID, pack.build());
        assertThat(reasons(verdict)).containsExactly(Refusal.PACK_LIMIT);
        assertThat(details(verdict)).contains("chain of deltas");
    }

    @Test
    void g8CountsDeltasOfUnknownPlaceTogether() throws Exception {
        byte[] content = "0".repeat(100).getBytes(StandardCharsets.US_ASCII);
        pack.whole(BLOB, content);
        for (int i = 0; i < 60; i++) {
            byte[] base = PackMaker.id(BLOB, content);
            content[i] = '1';
            pack.ref(base, PackMaker.insert(100, content));
        }
        limits(1_000, 1 << 20, 50, 1 << 20);
        assertThat(reasons(push(FILE_ID, pack.build()))).containsExactly(Refusal.PACK_LIMIT);
        limits(1_000, 1 << 20, 100, 1 << 20);
        assertThat(reasons(push(FILE_ID, pack.build()))).containsExactly(Refusal.MISSING_OBJECTS);
    }

    @Test
    void g8RefusesBasesThatAreNowhere() throws Exception {
        byte[] delta = PackMaker.insert(FILE.length, FILE);
        pack.whole(BLOB, FILE);
        for (long distance : new long[] {0, 1, 12, 1L << 50}) {
            PackMaker wrong = new PackMaker();
            wrong.whole(BLOB, FILE);
            wrong.entry(
                    PackMaker.OFS,
                    delta.length,
                    PackMaker.distance(distance),
                    PackMaker.deflate(delta));
            assertMalformed(FILE_ID, wrong.build());
        }
        pack.ref(new byte[20], delta);
        assertMalformed(FILE_ID, pack.build());
    }

    @Test
    void g8RefusesDeltasThatRestOnEachOther() throws Exception {
        byte[] one = "one".getBytes(StandardCharsets.US_ASCII);
        byte[] two = "two".getBytes(StandardCharsets.US_ASCII);
        pack.ref(PackMaker.id(BLOB, two), PackMaker.insert(3, one));
        pack.ref(PackMaker.id(BLOB, one), PackMaker.insert(3, two));
        byte[] tip = good();
        assertMalformed(tip, pack.build());
        pack = new PackMaker();
        pack.ref(PackMaker.id(BLOB, one), PackMaker.insert(3, one));
        assertMalformed(good(), pack.build());
    }

    @Test
    void g8RefusesBrokenDeltas() throws Exception {
        byte[][] deltas = {
            {},
            {5},
            PackMaker.delta(6, 5, (byte) 5),
            PackMaker.delta(5, 5, (byte) 5, (byte) 'x'),
            PackMaker.delta(5, 5, (byte) 0),
            PackMaker.delta(5, 5, (byte) 0b1001_0001, (byte) 4, (byte) 5),
            PackMaker.delta(5, 50, (byte) 1, (byte) 'x'),
            PackMaker.delta(5, 1, (byte) 2, (byte) 'x', (byte) 'y'),
        };
        for (byte[] delta : deltas) {
            pack = new PackMaker();
            int base = pack.whole(BLOB, FILE);
            pack.ofs(base, delta);
            Verdict verdict = push(good(), pack.build());
            assertThat(reasons(verdict))
                    .as(Arrays.toString(delta))
                    .containsExactly(Refusal.MALFORMED_PACK);
        }
    }

    @Test
    void g8RefusesAnObjectThatIsThereTwice() throws Exception {
        pack.whole(BLOB, FILE);
        assertMalformed(good(), pack.build());
    }

    /// Thirty trees of ten entries each name 10^30 paths.
    @Test
    void g8RefusesATreeBomb() throws Exception {
        // Millions of paths are compared each time.
        rig.judgesTwice = false;
        pack.whole(BLOB, FILE);
        byte[] tree = tenTimes("100644", FILE_ID);
        pack.whole(TREE, tree);
        for (int i = 0; i < 30; i++) {
            tree = tenTimes("40000", PackMaker.id(TREE, tree));
            pack.whole(TREE, tree);
        }
        byte[] tip = pack.rootCommit(tree);
        Verdict verdict = push(tip, pack.build());
        assertThat(reasons(verdict)).containsExactly(Refusal.PACK_LIMIT);
        assertThat(details(verdict)).contains("changed paths");
    }

    private static byte[] tenTimes(String mode, byte[] id) {
        ByteArrayOutputStream tree = new ByteArrayOutputStream();
        for (int i = 0; i < 10; i++) {
            tree.writeBytes(PackMaker.treeEntry(mode, "n" + i, id));
        }
        return tree.toByteArray();
    }

    @Test
    void g8RefusesTreesThatNestForEver() throws Exception {
        pack.whole(BLOB, FILE);
        byte[] tree = TREE_OF_FILE;
        pack.whole(TREE, tree);
        for (int i = 0; i < 20_000; i++) {
            tree = PackMaker.treeEntry("40000", "d", PackMaker.id(TREE, tree));
            pack.whole(TREE, tree);
        }
        Verdict verdict = push(pack.rootCommit(tree), pack.build());
        assertThat(reasons(verdict)).containsExactly(Refusal.PACK_LIMIT);
        assertThat(details(verdict)).contains("a path of more than");
    }

    @Test
    void g8EndsWhenTimeIsOverAndWhenInterrupted() throws Exception {
        byte[] tip = good();
        rig.finder =
                content -> {
                    while (true) {
                        content.read(new byte[1]);
                    }
                };
        rig.limits = new Limits.Push(2, 1 << 20, 1, 1_000, 1 << 20, 200, 50, 1 << 20, 1 << 20);
        assertThat(reasons(push(tip, pack.build()))).containsExactly(Refusal.JUDGEMENT_TIMEOUT);
        rig.limits = new Limits.Push(2, 1 << 20, 300, 1_000, 1 << 20, 200, 50, 1 << 20, 1 << 20);
        rig.finder =
                content -> {
                    Thread.currentThread().interrupt();
                    content.read(new byte[1]);
                    return List.of();
                };
        assertThatThrownBy(() -> push(tip, pack.build())).isInstanceOf(InterruptedException.class);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void p10StopsWhenOthersNeedThePlaceAndDecidesNothing() throws Exception {
        byte[] tip = good();
        AtomicInteger asked = new AtomicInteger();
        rig.slice = Slices.of(Duration.ofMillis(1), () -> asked.incrementAndGet() < 3);
        rig.finder =
                content -> {
                    while (true) {
                        content.read(new byte[1]);
                    }
                };
        assertThatThrownBy(() -> push(tip, pack.build())).isInstanceOf(Slice.OverException.class);
        assertThat(asked).hasValue(3);
    }

    @Test
    void g9AFinderThatFailsMeansNo() throws Exception {
        byte[] tip = good();
        rig.finder =
                _ -> {
                    throw new IllegalStateException("broken");
                };
        assertThat(reasons(push(tip, pack.build()))).hasSize(1);
    }

    @Test
    void g9NoChangedByteIsAcceptedUnlessItDoesNotMatter() throws Exception {
        byte[] tip = good();
        byte[] whole = pack.build();
        Random random = new Random(1);
        for (int i = 0; i < 300; i++) {
            byte[] changed = whole.clone();
            changed[random.nextInt(whole.length - 20)] ^= (byte) (1 << random.nextInt(8));
            byte[] body = Arrays.copyOf(changed, whole.length - 20);
            System.arraycopy(Digests.sha1().digest(body), 0, changed, body.length, 20);
            assertThat(reasons(push(tip, changed))).hasSizeLessThanOrEqualTo(1);
        }
    }
}

package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Command;
import dev.sallyport.git.GitBackend;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Real git-lfs in a real sandbox against JGit's LFS server, whose store has another name and
/// address than the git host. What that server cannot do, such as locks, is in [LfsIT].
class JgitLfsIT {
    private static final String BOX = "box";
    private static JgitLfsRig rig;

    @BeforeAll
    static void start() throws Exception {
        rig = new JgitLfsRig(Map.of());
        rig.create(BOX, "--runtime", "bubblewrap", "--ephemeral-home");
    }

    @AfterAll
    static void stop() {
        rig.close();
    }

    @BeforeEach
    void begin() {
        rig.reset();
    }

    private static Command.Result inClone(String script) {
        return rig.inClone(BOX, script);
    }

    private static List<String> transfers(String method) {
        return rig.server.seen().stream()
                .filter(seen -> seen.method().equals(method))
                .map(seen -> seen.path().replace("/objects/", ""))
                .toList();
    }

    @Test
    void aPlainCloneHasTheLargeFiles() {
        assertThat(inClone("sha256sum shared.bin").ok()).startsWith(rig.sharedOid);
        assertThat(transfers("GET")).containsExactly(rig.sharedOid);
    }

    @Test
    void pullFetchesWhatACloneLeftOut() {
        String script =
                JgitLfsRig.clone(JgitLfsRig.LISTED)
                        .replace("git clone", "GIT_LFS_SKIP_SMUDGE=1 git clone");
        Command.Result result =
                rig.inside(
                        BOX, script + "head -c 7 shared.bin; git lfs pull; sha256sum shared.bin");

        assertThat(result.ok()).isEqualTo("version" + rig.sharedOid + "  shared.bin");
    }

    /// A small object is on disk before the store hears of it, a large one passes through.
    @Test
    void whatAPlainPushUploadsIsThereForTheNextClone() throws Exception {
        String made =
                inClone(
                                """
                                git checkout -q -b agent/plain
                                head -c 3000000 /dev/urandom > small.bin; head -c 20000000 /dev/urandom > large.bin
                                git add .; git commit -qm new; git push -q origin agent/plain >&2; sha256sum *e.bin *l.bin
                                """)
                        .ok();
        String found = inClone("git checkout -q agent/plain; sha256sum large.bin small.bin").ok();

        List<String> lines = made.lines().filter(line -> !line.contains("shared")).toList();
        assertThat(found.lines()).containsExactlyInAnyOrderElementsOf(lines).hasSize(2);
        for (String line : lines) {
            assertThat(rig.server.object(line.substring(0, 64))).exists();
        }
        assertThat(transfers("PUT")).hasSize(2);
    }

    /// `bench/run lfs` pushes a gigabyte in the same way.
    @Test
    void aPushOfManyMegabytesArrivesWhole() throws Exception {
        rig.push(BOX, 128L << 20);

        assertThat(transfers("PUT")).hasSize(1);
    }

    /// git-lfs asks for the rest. JGit's server knows no ranges and sends all of it again.
    @Test
    void aDownloadThatWasCutComesToItsEnd() {
        rig.server.wire().cutAfter(JgitLfsRig.SHARED.length / 2);

        assertThat(inClone("sha256sum shared.bin; git lfs fsck").ok())
                .contains(rig.sharedOid)
                .contains("Git LFS fsck OK");
        assertThat(transfers("GET")).hasSizeGreaterThan(1);
        assertThat(rig.server.seen()).anyMatch(seen -> seen.range().startsWith("bytes="));
    }

    @Test
    void anExpiredActionIsAskedForAgain() {
        rig.server.expired.set(1);

        assertThat(inClone("sha256sum shared.bin").ok()).startsWith(rig.sharedOid);
        assertThat(transfers("GET")).hasSize(2);
    }

    private static Command.Result pushWrong(int bytes) {
        return inClone(
                """
                git checkout -q -b agent/wrong; head -c %d /dev/urandom > w.bin; git add .; git commit -qm w
                oid=$(git lfs ls-files -l | grep w.bin | cut -d' ' -f1); echo $oid
                f=.git/lfs/objects/${oid:0:2}/${oid:2:2}/$oid; chmod u+w $f
                printf XX | dd of=$f conv=notrunc status=none
                git -c lfs.transfer.maxretries=1 push origin agent/wrong
                """
                        .formatted(bytes));
    }

    @Test
    void g26_ofASmallObjectThatIsNotItsHashTheStoreHearsNothing() {
        Command.Result result = pushWrong(1_000);

        assertThat(result.exit()).isNotZero();
        assertThat(result.err()).contains("not the one that its id and size name");
        assertThat(transfers("PUT")).isEmpty();
        assertThat(rig.git.seen()).noneMatch(GitBackend.Seen::isPush);
    }

    /// JGit's server has the object locked until it notices that the first try was cut, and a
    /// second one waits; so the reason is looked for in the record.
    @Test
    void g26_ofALargeObjectThatIsNotItsHashTheStoreNeverGetsTheEnd() {
        Command.Result result = pushWrong(17_000_000);

        String oid = result.out().lines().findFirst().orElseThrow();
        assertThat(result.exit()).isNotZero();
        assertThat(rig.sallyport.sallyport("audit", "show", "--json").run().ok().lines())
                .anyMatch(line -> line.contains(oid) && line.contains("lfs-object-mismatch"));
        assertThat(transfers("PUT")).contains(oid);
        assertThat(rig.server.object(oid)).doesNotExist();
        assertThat(rig.git.seen()).noneMatch(GitBackend.Seen::isPush);
    }

    /// What a store has that is not its hash, git-lfs itself does not take.
    @Test
    void anObjectThatTheStoreHasChangedIsNotTaken() throws Exception {
        byte[] other = JgitLfsRig.SHARED.clone();
        other[0] ^= 1;
        Path stored = rig.server.object(rig.sharedOid);
        Files.write(stored, other);
        try {
            Command.Result result = inClone("true");
            assertThat(result.exit()).isNotZero();
            assertThat(result.err()).contains(rig.sharedOid);
        } finally {
            Files.write(stored, JgitLfsRig.SHARED);
        }
    }

    @Test
    void g26_aStoreThatNoRuleListsIsNotFollowed() {
        Command.Result result = rig.inside(BOX, JgitLfsRig.clone(JgitLfsRig.UNLISTED));

        assertThat(result.exit()).isNotZero();
        assertThat(result.err()).contains("keeps this object at a host that is not allowed");
        assertThat(rig.server.seen()).isEmpty();
    }

    @Test
    void aLockIsNotMade() {
        Command.Result result = inClone("git lfs lock shared.bin");

        assertThat(result.exit()).isNotZero();
        assertThat(result.err()).contains("locks can be listed");
        assertThat(transfers("POST")).isEmpty();
    }
}

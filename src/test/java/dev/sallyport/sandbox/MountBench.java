package dev.sallyport.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.fixture.Command;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// What mounts and hidden files mean inside, the same for every runtime.
public final class MountBench {
    private static final String SECRET = "hunter2";
    private static final long MEMORY = 64 << 20;

    private final SandboxRuntime runtime;
    private final Installation installation;
    private final Path directory;
    private final Path workspace;

    public MountBench(SandboxRuntime runtime, Installation installation, Path directory)
            throws Exception {
        this.runtime = runtime;
        this.installation = installation;
        this.directory = directory.toRealPath();
        this.workspace = Files.createDirectory(this.directory.resolve("mounted work"));
    }

    /// I10: read-only is read-only, and nothing else of the directory above is there.
    public void mountsAreWhatWasAskedFor() throws Exception {
        Path read = Files.createDirectories(directory.resolve("read"));
        Path write = Files.createDirectories(directory.resolve("write"));
        Files.writeString(read.resolve("file"), "given");
        Mounts mounts =
                new Mounts(
                        List.of(
                                new HostMount(read, false, false),
                                new HostMount(write, true, false)),
                        List.of(),
                        true);
        try (var sandbox = SandboxBench.create(runtime, installation, workspace, mounts)) {
            assertThat(sandbox.sh("cat " + read + "/file").ok()).isEqualTo("given");
            assertThat(sandbox.sh("echo x > " + read + "/file").exit()).isNotZero();
            assertThat(sandbox.sh("touch " + read + "/new").exit()).isNotZero();
            sandbox.sh("echo x > " + write + "/new").ok();
            assertThat(sandbox.sh("ls " + installation.home()).exit()).isNotZero();
        }
        assertThat(read.resolve("new")).doesNotExist();
        assertThat(read.resolve("file")).hasContent("given");
        assertThat(write.resolve("new")).hasContent("x\n");
    }

    /// I11: the content of a hidden file cannot be had by any route from inside.
    public void aHiddenFileCannotBeRead() throws Exception {
        Path secret = Files.createDirectory(workspace.resolve("conf")).resolve(".env");
        Files.writeString(secret, SECRET);
        Files.writeString(workspace.resolve("open"), SECRET);
        Mounts mounts = new Mounts(List.of(), List.of(secret), true);
        try (var sandbox = SandboxBench.create(runtime, installation, workspace, mounts)) {
            assertThat(sandbox.sh("cat open").ok()).isEqualTo(SECRET);
            assertThat(sandbox.sh("cat conf/.env").ok()).isEmpty();
            for (String attempt :
                    List.of(
                            "rm -f conf/.env",
                            "mv conf/.env x",
                            "mv open conf/.env",
                            "ln conf/.env x",
                            "echo x > conf/.env",
                            "umount conf/.env",
                            "unshare -Urm umount conf/.env",
                            "unshare -Urm sh -c 'mount --bind . /tmp && cat /tmp/conf/.env | grep .'")) {
                assertThat(sandbox.sh(attempt).exit()).as(attempt).isNotZero();
            }
            sandbox.sh("mv conf moved").ok();
            assertThat(sandbox.sh("grep -rs " + SECRET + " moved conf /proc/self/root/etc").out())
                    .isEmpty();
            sandbox.sh("mv moved conf").ok();
        }
        assertThat(secret).hasContent(SECRET);
    }

    /// I4, I7: what was checked is what is there when the sandbox starts.
    public void whatWasReplacedMeanwhileIsRefused() throws Exception {
        Path mount = Files.createDirectories(directory.resolve("mount"));
        Path keys = Files.createDirectories(directory.resolve("keys"));
        Mounts mounts = new Mounts(List.of(new HostMount(mount, false, false)), List.of(), true);
        SandboxSpec spec =
                SandboxBench.with(
                        SandboxBench.spec(runtime.kind(), installation, workspace), mounts);
        Files.delete(mount);
        Files.createSymbolicLink(mount, keys);

        assertThatThrownBy(() -> runtime.create(spec))
                .isInstanceOf(SandboxException.class)
                .hasMessageContaining("replaced");
        assertThat(spec.files()).doesNotExist();
    }

    /// A file can be as large as the limit and no larger; no core file is written. Where processes
    /// are counted together, one that takes too much memory is killed, and no bomb of processes
    /// grows beyond the limit; the sandbox outlives both, and its group of processes does not
    /// outlive the sandbox.
    public void limitsHoldForEveryCommand() throws Exception {
        SandboxSpec usual = SandboxBench.spec(runtime.kind(), installation, workspace);
        Resources resources =
                new Resources(
                        usual.resources().memoryBytes().map(_ -> MEMORY),
                        usual.resources().milliCpus(),
                        usual.resources().processes().map(_ -> 64L),
                        1 << 20);
        SandboxSpec spec = SandboxBench.with(usual, Mounts.NONE, resources);
        try (var sandbox = SandboxBench.of(runtime, spec)) {
            if (runtime.kind() == RuntimeKind.BUBBLEWRAP && Person.current().isRoot()) {
                assertThat(ControlGroups.find()).as("else nothing below is tried").isPresent();
                assertThat(groupsOf(spec)).as("positive control").isNotEmpty();
            }
            sandbox.sh("head -c 1048576 /dev/zero > small").ok();
            assertThat(sandbox.sh("head -c 1048577 /dev/zero > large").exit()).isNotZero();
            assertThat(sandbox.sh("ulimit -Hc").ok()).isEqualTo("0");
            if (resources.processes().isPresent()) {
                String spawn = "for i in $(seq %d); do sleep 5 & done; kill $(jobs -p)";
                assertThat(sandbox.sh(spawn.formatted(10)).err()).isEmpty();
                assertThat(sandbox.sh(spawn.formatted(100)).err()).contains("fork");
            }
            if (resources.memoryBytes().isPresent()) {
                String hold = "set -o pipefail; head -c %d /dev/zero | tail | wc -c";
                assertThat(sandbox.sh(hold.formatted(8 << 20)).ok()).isEqualTo("" + (8 << 20));
                assertThat(sandbox.sh(hold.formatted(3 * MEMORY)).exit()).isEqualTo(137);
            }
            assertThat(sandbox.sh("echo alive").ok()).isEqualTo("alive");
            assertThat(runtime.isAlive(spec, sandbox.identity)).isTrue();
        }
        assertThat(groupsOf(spec)).isEmpty();
        assertThat(Files.size(workspace.resolve("large"))).isEqualTo(1 << 20);
    }

    private static List<String> groupsOf(SandboxSpec spec) {
        return Command.of("find", "/sys/fs/cgroup", "-name", "*" + spec.id())
                .run()
                .out()
                .lines()
                .toList();
    }
}

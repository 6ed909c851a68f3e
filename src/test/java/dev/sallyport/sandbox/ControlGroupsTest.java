package dev.sallyport.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.fixture.Command;
import dev.sallyport.sandbox.ControlGroups.Controller;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Where groups of processes are made, by the files of both versions; the real ones of this machine
/// are used in `BubblewrapMountIT.limitsHoldForEveryCommand`.
class ControlGroupsTest {
    private static final Resources RESOURCES =
            new Resources(Optional.of(1L << 30), Optional.of(1_500L), Optional.of(64L), 1 << 30);

    private static final String ENABLED = "cgroup.subtree_control";

    @TempDir Path directory;
    private Path top;

    @BeforeEach
    void top() throws IOException {
        top = directory.toRealPath();
    }

    /// A group of version 2.
    private Path unified(String name, String controllers, String enabled) throws IOException {
        Path group = group(name);
        Files.writeString(group.resolve("cgroup.controllers"), controllers + "\n");
        Files.writeString(group.resolve(ENABLED), enabled + "\n");
        return group;
    }

    private Path group(String name) throws IOException {
        Path group = Files.createDirectories(top.resolve(name));
        Files.writeString(group.resolve("cgroup.procs"), "");
        return group;
    }

    private String mount(String name, String type, String options) {
        return "41 31 0:38 / %s rw,relatime - %s cgroup rw%s\n"
                .formatted(top.resolve(name), type, options);
    }

    @Test
    void theTopOfAUnifiedHierarchyIsUsedByWhoMayWriteIt() throws IOException {
        Path root = unified("u", "cpu io memory pids", "cpu memory pids");
        var groups = ControlGroups.of(mount("u", "cgroup2", ""), "0::/a/b\n").orElseThrow();

        assertThat(groups.places().values())
                .allMatch(place -> place.unified() && place.directory().equals(root));
    }

    @Test
    void aControllerThatIsNotEnabledIsEnabledForAGroupAndNotBefore() throws Exception {
        Path enabled = unified("u", "cpu memory pids", "cpu memory").resolve(ENABLED);
        var groups = ControlGroups.of(mount("u", "cgroup2", ""), "0::/\n").orElseThrow();
        assertThat(enabled).hasContent("cpu memory");

        SandboxSpec spec = spec();
        Files.createDirectories(spec.files());
        ControlGroup.make(groups, spec);

        assertThat(enabled).hasContent("+pids");
    }

    /// The kernel enables no controllers below a group that has processes, such as our own.
    @Test
    void aGroupWithProcessesIsPassedOverUnlessItIsTheTop() throws IOException {
        Path own = unified("u", "cpu memory pids", "");
        Files.writeString(own.resolve("cgroup.procs"), "1\n");
        assertThat(ControlGroups.of(mount("u", "cgroup2", ""), "0::/\n")).isPresent();

        Files.writeString(own.resolve("cgroup.type"), "domain\n");
        assertThat(ControlGroups.of(mount("u", "cgroup2", ""), "0::/\n")).isEmpty();

        Files.writeString(own.resolve("cgroup.procs"), "");
        assertThat(ControlGroups.of(mount("u", "cgroup2", ""), "0::/\n")).isPresent();
    }

    /// As below a systemd user manager: what is above belongs to root.
    @Test
    void anOrdinaryUserHasWhatWasDelegated() throws IOException {
        Path root = unified("u", "cpu memory pids", "cpu memory pids");
        Files.delete(root.resolve("cgroup.procs"));
        Path slice = unified("u/app", "cpu memory pids", "cpu memory pids");
        unified("u/app/term", "", "");
        var groups = ControlGroups.of(mount("u", "cgroup2", ""), "0::/app/term\n").orElseThrow();

        assertThat(groups.places().values()).allMatch(place -> place.directory().equals(slice));
    }

    @Test
    void withoutOneOfTheThreeThereIsNone() throws IOException {
        unified("u", "memory pids", "memory pids");
        assertThat(ControlGroups.of(mount("u", "cgroup2", ""), "0::/\n")).isEmpty();
        Path foreign = unified("f", "cpu memory pids", "cpu memory pids");
        Files.delete(foreign.resolve("cgroup.procs"));
        assertThat(ControlGroups.of(mount("f", "cgroup2", ""), "0::/../x\n")).isEmpty();
        assertThat(ControlGroups.of("", "")).isEmpty();
    }

    @Test
    void aMixedMachineHasAPlaceForEachController() throws IOException {
        Path memory = group("memory");
        Path cpu = group("cpu,cpuacct");
        Path unified = unified("unified", "pids", "pids");
        String mounts =
                mount("cpu,cpuacct", "cgroup", ",cpu,cpuacct")
                        + mount("memory", "cgroup", ",memory")
                        + mount("unified", "cgroup2", "")
                        + "23 1 8:1 / / rw - ext4 /dev/sda rw\n";
        var groups = ControlGroups.of(mounts, "4:memory:/x\n3:cpu,cpuacct:/x\n0::/\n");

        assertThat(groups.orElseThrow().places())
                .isEqualTo(
                        Map.of(
                                Controller.MEMORY, new ControlGroups.Place(memory, false),
                                Controller.CPU, new ControlGroups.Place(cpu, false),
                                Controller.PIDS, new ControlGroups.Place(unified, true)));
    }

    @Test
    void limitsAreWrittenInTheWordsOfEachVersion() {
        assertThat(ControlGroup.settings(Controller.MEMORY, true, RESOURCES))
                .isEqualTo(Map.of("memory.max", "1073741824", "memory.swap.max", "0"));
        assertThat(ControlGroup.settings(Controller.CPU, true, RESOURCES))
                .isEqualTo(Map.of("cpu.max", "150000 100000"));
        assertThat(ControlGroup.settings(Controller.PIDS, true, RESOURCES))
                .isEqualTo(Map.of("pids.max", "64"));
        assertThat(ControlGroup.settings(Controller.MEMORY, false, RESOURCES))
                .isEqualTo(
                        Map.of(
                                "memory.limit_in_bytes", "1073741824",
                                "memory.memsw.limit_in_bytes", "1073741824"));
        assertThat(ControlGroup.settings(Controller.CPU, false, RESOURCES))
                .isEqualTo(Map.of("cpu.cfs_period_us", "100000", "cpu.cfs_quota_us", "150000"));
    }

    @Test
    void aGroupIsMadeNotedAndRemoved() throws Exception {
        unified("u", "cpu memory pids", "cpu memory pids");
        var groups = ControlGroups.of(mount("u", "cgroup2", ""), "0::/\n").orElseThrow();
        SandboxSpec spec = spec();
        Files.createDirectories(spec.files());

        ControlGroup made = ControlGroup.make(groups, spec);

        Path group = top.resolve("u/sallyport-" + spec.id());
        assertThat(made.directories()).containsExactly(group);
        assertThat(group.resolve("pids.max")).hasContent("64");
        assertThat(group.resolve("memory.swap.max")).doesNotExist();
        assertThat(made.joining()).contains(group.toString()).endsWith("--");
        assertThat(ControlGroup.of(spec.files())).contains(made);
        for (String file : List.of("pids.max", "cpu.max", "memory.max")) {
            Files.delete(group.resolve(file));
        }
        made.remove();
        assertThat(group).doesNotExist();
        made.remove();
    }

    @Test
    void aNoteThatNamesAnotherGroupIsNotFollowed() throws Exception {
        SandboxSpec spec = spec();
        Path other = Files.createDirectories(top.resolve("other"));
        Files.createDirectories(spec.files());
        Files.writeString(spec.files().resolve("control-groups"), other + "\n");

        assertThatThrownBy(() -> ControlGroup.of(spec.files()))
                .isInstanceOf(SandboxException.class);
        assertThat(other).exists();
    }

    /// What cannot join does not run.
    @Test
    void aCommandThatMayNotJoinDoesNotStart() throws Exception {
        Path missing = top.resolve("sallyport-x");
        Path proof = top.resolve("proof");
        var argv = new ArrayList<>(new ControlGroup(List.of(missing)).joining());
        argv.addAll(List.of("touch", proof.toString()));

        assertThat(Command.of(argv).run().exit()).isEqualTo(126);
        assertThat(proof).doesNotExist();
        Files.createDirectory(missing);
        Command.of(argv).run().ok();
        assertThat(proof).exists();
    }

    private SandboxSpec spec() throws IOException {
        SandboxSpec spec = SandboxBench.spec(RuntimeKind.BUBBLEWRAP, new Installation(top), top);
        return SandboxBench.with(spec, Mounts.NONE, RESOURCES);
    }
}

package dev.sallyport.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.config.Home;
import dev.sallyport.config.Machine;
import dev.sallyport.control.Api;
import dev.sallyport.control.SecretsApi;
import dev.sallyport.credential.TokenForm;
import dev.sallyport.sandbox.docker.EngineReport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What each check of the host calls a fault, and what it advises.
class ChecksTest {
    @TempDir Path directory;
    private Home home;

    @BeforeEach
    void makeHome() throws IOException {
        home = new Home(directory.toRealPath().resolve("home"));
        home.create();
    }

    private static Finding only(Check check) {
        List<Finding> findings = check.look();
        assertThat(findings).hasSize(1);
        return findings.getFirst();
    }

    private static Finding of(Check check, String subject) {
        return check.look().stream()
                .filter(finding -> finding.subject().equals(subject))
                .findFirst()
                .orElseThrow();
    }

    private static void assertFails(Finding finding, String remedy) {
        assertThat(finding.level()).isEqualTo(Finding.Level.FAIL);
        assertThat(finding.remedy()).contains(remedy);
    }

    private static void assertOk(Finding finding) {
        assertThat(finding.level()).as(finding.toString()).isEqualTo(Finding.Level.OK);
        assertThat(finding.remedy()).isEmpty();
    }

    @Test
    void anOldJdkFailsAndANewerOneIsNamed() {
        assertFails(only(new Doctor.JavaCheck(Runtime.Version.parse("21.0.2"))), "JDK 25");
        assertOk(only(new Doctor.JavaCheck(Runtime.Version.parse("25.0.1"))));
        assertThat(only(new Doctor.JavaCheck(Runtime.Version.parse("26"))).level())
                .isEqualTo(Finding.Level.WARN);
    }

    private Path proc(Map<String, String> values) throws IOException {
        Path proc = Files.createTempDirectory(directory, "proc");
        for (Map.Entry<String, String> value : values.entrySet()) {
            Path file = proc.resolve(value.getKey());
            Files.createDirectories(file.getParent());
            Files.writeString(file, value.getValue() + "\n");
        }
        return proc;
    }

    private Finding userNamespaces(String sysctl, String value, boolean root) throws IOException {
        Path proc = proc(Map.of("self/ns/user", "", sysctl, value));
        return of(new KernelCheck(proc, directory, 1, root), "user namespaces");
    }

    @Test
    void eachWayToForbidUserNamespacesHasItsRemedy() throws IOException {
        assertFails(
                userNamespaces("sys/user/max_user_namespaces", "0", true),
                "sysctl -w user.max_user_namespaces=10000");
        assertFails(
                userNamespaces("sys/kernel/unprivileged_userns_clone", "0", false),
                "sysctl -w kernel.unprivileged_userns_clone=1");
        assertFails(
                userNamespaces("sys/kernel/apparmor_restrict_unprivileged_userns", "1", false),
                "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0");
        assertThat(
                        userNamespaces(
                                        "sys/kernel/apparmor_restrict_unprivileged_userns",
                                        "1",
                                        true)
                                .level())
                .isEqualTo(Finding.Level.WARN);
        assertOk(userNamespaces("sys/user/max_user_namespaces", "1000", false));
    }

    @Test
    void anOldKernelAndOneWithoutFiltersFail() throws IOException {
        Path old = proc(Map.of("sys/kernel/osrelease", "5.4.0-1-amd64"));
        assertFails(of(new KernelCheck(old, directory, 0, true), "kernel"), "5.10");
        assertFails(of(new KernelCheck(old, directory, 0, true), "seccomp"), "SECCOMP");
        assertThat(of(new KernelCheck(old, directory, 0, true), "Landlock").level())
                .isEqualTo(Finding.Level.WARN);
        for (String release : new String[] {"5.10.0", "6.1.0-13", "10.0-rc1"}) {
            Path good = proc(Map.of("sys/kernel/osrelease", release));
            assertOk(of(new KernelCheck(good, directory, 3, true), "kernel"));
        }
    }

    @Test
    void aMissingToolNamesItsPackage() {
        Check check = new Doctor.ToolsCheck(_ -> Optional.empty());
        assertFails(of(check, "bwrap"), "apt-get install bubblewrap");
        assertFails(of(check, "nsenter"), "apt-get install util-linux");
        assertThat(of(check, "docker").level()).isEqualTo(Finding.Level.WARN);
        assertOk(of(new Doctor.ToolsCheck(_ -> Optional.of(Path.of("/bin/true"))), "git"));
    }

    @Test
    void oneRuntimeIsEnoughAndNoneFails() {
        Optional<String> obstacle = Optional.of("do this");
        Check one = new RuntimeCheck(Optional::empty, () -> obstacle, Optional::empty);
        assertThat(one.look()).noneMatch(f -> f.level() == Finding.Level.FAIL);
        Check none = new RuntimeCheck(() -> obstacle, () -> obstacle, Optional::empty);
        assertFails(of(none, "sandbox with bubblewrap"), "do this");
    }

    @Test
    void anEngineWithoutSeccompFails() {
        EngineReport bare = new EngineReport("20.10", false, false, false, false, Set.of());
        Check check = new RuntimeCheck(Optional::empty, Optional::empty, () -> Optional.of(bare));
        assertFails(of(check, "Docker's seccomp"), "seccomp");
        assertThat(of(check, "Docker engine").seen()).contains("20.10", "runs as root");
        assertThat(of(check, "Docker's live-restore").level()).isEqualTo(Finding.Level.WARN);
    }

    @Test
    void aHomeThatOthersCanReadFailsWithTheCommand() throws IOException {
        assertOk(only(new HomeCheck(home)));
        Path secret = Files.writeString(home.secrets().resolve("github.json"), "{}");
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-r--r--"));
        assertFails(only(new HomeCheck(home)), "chmod 600 " + secret);
        Files.setPosixFilePermissions(home.secrets(), PosixFilePermissions.fromString("rwxr-xr-x"));
        assertFails(only(new HomeCheck(home)), "chmod 700 " + home.secrets());
    }

    @Test
    void aHomeThatIsNotThereIsNotMade() {
        Home none = new Home(directory.resolve("none"));
        assertOk(only(new HomeCheck(none)));
        assertThat(none.root()).doesNotExist();
    }

    @Test
    void aClockBehindTheProgramFails() throws IOException {
        Path program = Files.createFile(directory.resolve("program"));
        Instant now = Instant.parse("2026-01-01T00:00:00Z");
        Check check = new Doctor.ClockCheck(InstantSource.fixed(now), home.auditLog(), program);
        Files.setLastModifiedTime(program, FileTime.from(now.plusSeconds(3600)));
        assertFails(only(check), "timedatectl");
        Files.setLastModifiedTime(program, FileTime.from(now.minusSeconds(3600)));
        assertOk(only(check));
    }

    @Test
    void aFullDiskFailsByBytesAndByInodes() {
        Path place = Path.of("/place");
        assertFails(DiskCheck.judge("disk", place, room(1 << 20, 1_000_000)), "/place");
        assertFails(DiskCheck.judge("disk", place, room(1L << 40, 10)), "/place");
        assertThat(DiskCheck.judge("disk", place, room(1L << 30, 1_000_000)).level())
                .isEqualTo(Finding.Level.WARN);
        assertOk(DiskCheck.judge("disk", place, room(1L << 40, 1_000_000)));
        assertOk(DiskCheck.judge("disk", place, new DiskCheck.Room(1L << 40, Optional.empty())));
        assertThat(new DiskCheck(Map.of("work", directory.resolve("a/b"))).look())
                .singleElement()
                .satisfies(finding -> assertThat(finding.seen()).contains("MiB"));
    }

    private static DiskCheck.Room room(long bytes, long inodes) {
        return new DiskCheck.Room(bytes, Optional.of(inodes));
    }

    @Test
    void aWrongPolicyFailsWithItsRemedy() throws IOException {
        Check check =
                new Doctor.PolicyCheck(home.policyFile(), Machine.of(Map.of("HOME", "/none")));
        assertOk(only(check));
        Files.writeString(home.policyFile(), "unknown: 1\n");
        Files.setPosixFilePermissions(
                home.policyFile(), PosixFilePermissions.fromString("rw-------"));
        assertThat(only(check).level()).isEqualTo(Finding.Level.FAIL);
        assertThat(only(check).seen()).contains("unknown");
    }

    private static WardenView warden(String version, long gatewayPid) {
        Api.Status status =
                new Api.Status(version, "/h", 1, gatewayPid, 0, 0, Map.of(), List.of(), List.of());
        return new WardenView(
                Optional.of(status), Optional.of(Set.of()), List.of(), List.of(), Optional.empty());
    }

    @Test
    void anotherVersionIsToldAndADeadGatewayFails() {
        long alive = ProcessHandle.current().pid();
        assertOk(of(new DaemonCheck(warden("1", alive), "1"), "daemon"));
        assertThat(of(new DaemonCheck(warden("0", alive), "1"), "daemon").level())
                .isEqualTo(Finding.Level.WARN);
        assertOk(of(new DaemonCheck(warden("1", alive), "1"), "gateway"));
        assertFails(of(new DaemonCheck(warden("1", 0), "1"), "gateway"), "gateway.log");
    }

    @Test
    void aTokenThatReachesFurtherThanTheRulesIsTold() {
        SecretsApi.SecretView app = secret("github-app", Optional.empty());
        SecretsApi.SecretView classic = secret("token", Optional.of(TokenForm.CLASSIC.reach()));
        assertOk(only(new Doctor.SecretCheck(holding(app))));
        Finding finding = only(new Doctor.SecretCheck(holding(classic)));
        assertThat(finding.level()).isEqualTo(Finding.Level.WARN);
        assertThat(finding.seen()).contains("every repository of its owner");
        assertThat(finding.remedy()).contains("--kind github-app");
        assertThat(new Doctor.SecretCheck(WardenView.ask(home)).look()).isEmpty();
    }

    private static SecretsApi.SecretView secret(String kind, Optional<String> reach) {
        return new SecretsApi.SecretView(
                "github",
                "github.com",
                Optional.empty(),
                "2026-01-01T00:00:00Z",
                kind,
                Optional.empty(),
                List.of(),
                Optional.empty(),
                Optional.empty(),
                reach);
    }

    private static WardenView holding(SecretsApi.SecretView secret) {
        return new WardenView(
                Optional.empty(), Optional.empty(), List.of(), List.of(secret), Optional.empty());
    }

    @Test
    void noWardenIsNoFault() {
        assertOk(only(new DaemonCheck(WardenView.ask(home), "1")));
        assertThat(home.controlSocket()).doesNotExist();
    }

    @Test
    void whatNoSessionOwnsIsLeftOver() throws IOException {
        Files.createDirectory(home.sandboxes().resolve("00000000000000aa"));
        Files.createDirectory(home.sandboxes().resolve("00000000000000bb"));
        Check check =
                new LeftoverCheck(
                        home,
                        Map.of("process", () -> Set.of("00000000000000aa", "00000000000000cc")),
                        Optional.of(Set.of("00000000000000aa")));
        assertThat(of(check, "leftovers: directory").seen())
                .contains("00000000000000bb")
                .doesNotContain("00000000000000aa");
        assertThat(of(check, "leftovers: process").seen())
                .contains("00000000000000cc")
                .doesNotContain("00000000000000aa");
        assertThat(home.sandboxes().resolve("00000000000000bb")).exists();
        Check clean =
                new LeftoverCheck(
                        home,
                        Map.of(),
                        Optional.of(Set.of("00000000000000aa", "00000000000000bb")));
        assertOk(only(clean));
    }

    @Test
    void withoutAWardenASocketIsStale() throws IOException {
        Files.createFile(home.controlSocket());
        assertThat(only(new LeftoverCheck(home, Map.of(), Optional.empty())).seen())
                .contains("control.sock");
    }
}

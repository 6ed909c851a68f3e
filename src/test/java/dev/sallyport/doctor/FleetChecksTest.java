package dev.sallyport.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.config.Home;
import dev.sallyport.config.Ownership;
import dev.sallyport.control.Api;
import dev.sallyport.control.FleetApi;
import dev.sallyport.doctor.FleetCheck.FleetSight;
import dev.sallyport.porter.SidecarProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What is called a fault of the remote tier, on the machine of the gateway and on that of the
/// sandboxes.
class FleetChecksTest {
    private static final Instant NOW = Instant.parse("2026-06-01T00:00:00Z");
    private static final Optional<String> ADDRESS = Optional.of(":8443");

    @TempDir Path directory;

    private static FleetApi.Host host(String name, Duration silent, int sandboxes) {
        String seen = NOW.minus(silent).toString();
        return new FleetApi.Host(name, "id", "2026-01-01T00:00:00Z", seen, sandboxes);
    }

    private static Optional<FleetApi.AuthorityState> authority(Duration left, boolean replaces) {
        return Optional.of(
                new FleetApi.AuthorityState(
                        NOW.minus(Duration.ofHours(2)).toString(),
                        NOW.plus(left).toString(),
                        replaces));
    }

    private static List<Finding> gateway(
            Optional<String> listen,
            Optional<String> wanted,
            Optional<FleetApi.AuthorityState> authority,
            FleetApi.Host... hosts) {
        FleetApi.Fleet fleet =
                new FleetApi.Fleet(
                        listen, listen, List.of(), wanted, List.of(hosts), List.of(), authority);
        return new FleetCheck(
                        new FleetSight(Optional.of(fleet), List.of(), Optional.empty()),
                        InstantSource.fixed(NOW))
                .look();
    }

    private static void assertAllGood(List<Finding> findings) {
        assertThat(findings).extracting(Finding::level).containsOnly(Finding.Level.OK);
    }

    private static void assertOne(
            List<Finding> findings, Finding.Level level, String subject, String remedy) {
        assertThat(findings)
                .filteredOn(finding -> finding.level() != Finding.Level.OK)
                .singleElement()
                .satisfies(
                        finding -> {
                            assertThat(finding.level()).isEqualTo(level);
                            assertThat(finding.subject()).isEqualTo(subject);
                            assertThat(finding.remedy()).contains(remedy);
                        });
    }

    @Test
    void aMachineThatHasNothingToDoWithOthersHasNoFinding() {
        assertThat(gateway(Optional.empty(), Optional.empty(), Optional.empty())).isEmpty();
        FleetSight none = FleetSight.ask(new Home(directory.resolve("none")));
        assertThat(new FleetCheck(none, InstantSource.system()).look()).isEmpty();
        assertThat(new Doctor.RemoteGatewayCheck(none, "1").look()).isEmpty();
    }

    @Test
    void aPortThatIsWantedAndNotOpenFails() {
        var years = authority(Duration.ofDays(3_000), false);
        assertAllGood(gateway(ADDRESS, ADDRESS, years));
        assertAllGood(
                gateway(
                        Optional.empty(),
                        Optional.empty(),
                        years,
                        host("build1", Duration.ZERO, 0)));
        assertOne(
                gateway(Optional.empty(), ADDRESS, years),
                Finding.Level.FAIL,
                "port for other machines",
                "gateway --listen");
    }

    @Test
    void aPortThatIsWantedFailsWhenNoDaemonRuns() throws IOException {
        Home home = new Home(directory.toRealPath().resolve("home"));
        home.create();
        assertThat(FleetSight.ask(home).unserved()).isEmpty();
        Path ports = home.fleet().resolve("ports");
        Ownership.createPrivateDirectory(home.fleet());
        Ownership.createPrivateDirectory(ports);
        Path port = Files.writeString(ports.resolve("port.json"), "{\"address\":\":8443\"}");
        Files.setPosixFilePermissions(port, PosixFilePermissions.fromString("rw-------"));
        assertOne(
                new FleetCheck(FleetSight.ask(home), InstantSource.system()).look(),
                Finding.Level.FAIL,
                "port for other machines",
                "sallyport up");
    }

    @Test
    void anAuthorityThatEndsSoonIsTold() {
        assertOne(
                gateway(ADDRESS, ADDRESS, authority(Duration.ofDays(80), false)),
                Finding.Level.WARN,
                "authority for other machines",
                "gateway rotate");
    }

    @Test
    void aMachineThatFellSilentIsTold() {
        var years = authority(Duration.ofDays(3_000), false);
        assertAllGood(
                gateway(
                        ADDRESS,
                        ADDRESS,
                        years,
                        host("busy", Duration.ofHours(1), 3),
                        host("resting", Duration.ofDays(20), 0)));
        assertOne(
                gateway(ADDRESS, ADDRESS, years, host("build1", Duration.ofDays(2), 1)),
                Finding.Level.WARN,
                "machine build1",
                "gateway remove build1");
        assertOne(
                gateway(ADDRESS, ADDRESS, years, host("build2", Duration.ofDays(31), 0)),
                Finding.Level.WARN,
                "machine build2",
                "gateway remove build2");
    }

    @Test
    void aMachineThatDoesNotKnowTheNewAuthorityIsTold() {
        FleetApi.Host knows = host("knows", Duration.ofHours(1), 0);
        FleetApi.Host late = host("late", Duration.ofHours(3), 0);
        var years = Duration.ofDays(3_000);
        assertAllGood(gateway(ADDRESS, ADDRESS, authority(years, false), knows, late));
        assertOne(
                gateway(ADDRESS, ADDRESS, authority(years, true), knows, late),
                Finding.Level.WARN,
                "machine late",
                "enroll it again");
    }

    private static Finding remote(
            Optional<FleetApi.GatewayState> state, Optional<Api.Problem> trouble) {
        FleetApi.Gateway known = new FleetApi.Gateway("office", "gw.example:8443", "build1", 2);
        FleetSight seen =
                new FleetSight(
                        Optional.empty(),
                        List.of(new FleetSight.Gateway(known, state, trouble)),
                        Optional.empty());
        List<Finding> findings = new Doctor.RemoteGatewayCheck(seen, "1").look();
        assertThat(findings).hasSize(1);
        assertThat(findings.getFirst().subject()).isEqualTo("remote gateway office");
        return findings.getFirst();
    }

    private static Finding answers(String version, Duration ahead) {
        return remote(
                Optional.of(new FleetApi.GatewayState("office", version, ahead.toMillis())),
                Optional.empty());
    }

    @Test
    void aRemoteGatewayThatIsSilentOtherwiseOrLateIsTold() {
        assertThat(answers("1", Duration.ofSeconds(2)).level()).isEqualTo(Finding.Level.OK);
        assertThat(answers("2", Duration.ZERO).level()).isEqualTo(Finding.Level.WARN);
        assertThat(answers("2", Duration.ZERO).seen()).isEqualTo("version 2; this is 1");
        assertThat(answers("1", Duration.ofSeconds(90)).seen()).contains("90 s ahead");
        assertThat(answers("1", Duration.ofSeconds(-90)).seen()).contains("90 s behind");
        assertThat(answers("1", Duration.ofSeconds(-90)).level()).isEqualTo(Finding.Level.WARN);
        Finding silent =
                remote(
                        Optional.empty(),
                        Optional.of(new Api.Problem("unavailable", "It is silent.", "Do this.")));
        assertThat(silent)
                .isEqualTo(
                        new Finding(
                                "remote gateway office",
                                Finding.Level.FAIL,
                                "It is silent.",
                                "Do this."));
    }

    @Test
    void aSidecarWithANetworkIsAFault() throws IOException {
        SidecarProcess here = new SidecarProcess(ProcessHandle.current().pid(), "00aa");
        Process alone =
                new ProcessBuilder("unshare", "--user", "--net", "sh", "-c", "echo ready; read _")
                        .start();
        try (BufferedReader said = alone.inputReader()) {
            assertThat(said.readLine()).isEqualTo("ready");
            SidecarProcess good = new SidecarProcess(alone.pid(), "00bb");

            assertThat(new Doctor.SidecarCheck(List.of(), 0).look()).isEmpty();
            assertThat(new Doctor.SidecarCheck(List.of(good), 0).look())
                    .containsExactly(Finding.ok("sidecars", "1, without a network"));
            assertThat(new Doctor.SidecarCheck(List.of(good, here), 0).look())
                    .singleElement()
                    .satisfies(
                            found -> {
                                assertThat(found.level()).isEqualTo(Finding.Level.FAIL);
                                assertThat(found.seen()).contains("00aa", "the host's network");
                            });
        } finally {
            alone.destroyForcibly();
        }
    }

    /// One that is gone stands for one of another user: neither shows its namespace.
    @Test
    void aSidecarThatCannotBeLookedAtIsNotCalledGood() throws Exception {
        Process gone = new ProcessBuilder("true").start();
        gone.waitFor();
        assertOne(
                new Doctor.SidecarCheck(List.of(new SidecarProcess(gone.pid(), "00aa")), 1_234_567)
                        .look(),
                Finding.Level.WARN,
                "sidecars",
                "as root");
    }
}

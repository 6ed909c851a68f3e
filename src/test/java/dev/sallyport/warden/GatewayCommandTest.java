package dev.sallyport.warden;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.confine.Jvm;
import dev.sallyport.policy.SessionId;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class GatewayCommandTest {
    private static final StagedJar JAR = new StagedJar(Path.of("/app/s.jar"), Optional.empty());

    private static final GatewayCommand.Carried CUT_OFF =
            new GatewayCommand.Carried(new SessionId("00000000000000aa"), true);

    @Test
    void asRootTheGatewayHasItsOwnUserAndNoCapability() {
        List<String> argv = argv(OptionalInt.of(61_183), 61_183);
        assertThat(argv.subList(0, argv.indexOf("--")))
                .contains(
                        "setpriv",
                        "--no-new-privs",
                        "--clear-groups",
                        "--bounding-set=-all",
                        "--inh-caps=-all")
                .containsSequence("--reuid", "61183", "--regid", "61183")
                .containsSequence("--pdeathsig", "KILL");
    }

    @Test
    void otherwiseItGainsNoPrivilegesAndKeepsItsUser() {
        List<String> argv = argv(OptionalInt.empty(), 1000);
        assertThat(argv.subList(0, argv.indexOf("--")))
                .containsExactly("setpriv", "--no-new-privs", "--pdeathsig", "KILL");
    }

    @Test
    void itsMemoryIsBoundedAndNeverWrittenToDisk() {
        assertThat(argv(OptionalInt.empty(), 1000))
                .contains(
                        "-Xmx256m",
                        "-XX:MaxDirectMemorySize=256m",
                        "-XX:+ExitOnOutOfMemoryError",
                        "-XX:-HeapDumpOnOutOfMemoryError",
                        "-XX:-CreateCoredumpOnCrash",
                        "-XX:+DisableAttachMechanism");
    }

    /// E17: Netty takes it for the whole process only.
    @Test
    void e17_itGivesOutNoTlsTickets() {
        assertThat(argv(OptionalInt.empty(), 1000))
                .contains("-Djdk.tls.server.enableSessionTicketExtension=false");
    }

    @Test
    void itIsToldWhereTheWardenIsAndWhereCopiesAreKept() {
        assertThat(argv(OptionalInt.empty(), 1000))
                .endsWith("internal-gateway", "/state/gateway-1", "/state/mirrors-1");
    }

    @Test
    void theFirstRestartIsImmediateAndLaterOnesAreBounded() {
        assertThat(GatewaySupervisor.pause(0)).isZero();
        assertThat(GatewaySupervisor.pause(1)).isZero();
        assertThat(GatewaySupervisor.pause(2)).isEqualTo(Duration.ofMillis(100));
        assertThat(GatewaySupervisor.pause(3)).isEqualTo(Duration.ofMillis(200));
        assertThat(GatewaySupervisor.pause(1_000_000)).isEqualTo(Duration.ofSeconds(5));
    }

    /// `unshare` becomes the program, so that the process stays the one that was started; what it
    /// changes undoes a parent-death signal that was set before.
    @Test
    void anOrdinaryUsersSidecarGetsItsNetworkBeforeAnythingElse() {
        List<String> argv =
                command(OptionalInt.empty(), 1000)
                        .sidecar(CUT_OFF)
                        .argv(Path.of("/state/gateway-1"));
        assertThat(argv)
                .startsWith("unshare", "--user", "--net", "--", "setpriv", "--no-new-privs")
                .endsWith("internal-sidecar", "/state/gateway-1", "00000000000000aa");
        assertThat(
                        command(OptionalInt.of(61_183), 61_183)
                                .sidecar(CUT_OFF)
                                .argv(Path.of("/state/g")))
                .as("root's gets it from the thread that starts it")
                .startsWith("setpriv");
        GatewayCommand.Carried here = new GatewayCommand.Carried(CUT_OFF.session(), false);
        assertThat(command(OptionalInt.empty(), 1000).sidecar(here).argv(Path.of("/state/g")))
                .doesNotContain("unshare");
    }

    private static List<String> argv(OptionalInt separateUid, int uid) {
        return command(separateUid, uid).argv(Path.of("/state/gateway-1"));
    }

    private static GatewayCommand command(OptionalInt separateUid, int uid) {
        return new GatewayCommand(
                Jvm.GATEWAY,
                "/jdk",
                JAR,
                new GatewayAccount(
                        separateUid,
                        uid,
                        Path.of("/state"),
                        "gateway-",
                        Path.of("/state/mirrors-1")),
                Optional.empty());
    }
}

package dev.sallyport.warden;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.config.GitSettings;
import dev.sallyport.config.Home;
import dev.sallyport.control.Api;
import dev.sallyport.control.ControlClient;
import dev.sallyport.control.ControlException;
import dev.sallyport.control.SecretsApi;
import dev.sallyport.credential.Secret;
import dev.sallyport.fixture.Await;
import dev.sallyport.fixture.Processes;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Promises P13 and P14 with real processes: what is killed is replaced, taken over or gone.
class WardenIT {
    @TempDir Path temporary;

    private Home home;
    private Path workspace;
    private WardenProcess warden;

    @BeforeEach
    void start() throws Exception {
        home = new Home(temporary.toRealPath().resolve("home"));
        workspace = Files.createDirectory(temporary.resolve("work"));
        warden = WardenProcess.start(home);
    }

    @AfterEach
    void stop() throws Exception {
        warden.close();
    }

    @Test
    void aKilledGatewayIsReplacedWithoutTheSandboxNoticing() throws Exception {
        Api.SandboxView sandbox = create("app", false);
        assertThat(ask("app")).isEqualTo("ok");
        for (int i = 0; i < 3; i++) {
            warden.awaitSpare();
            long gateway = warden.status().gatewayPid();
            ProcessHandle.of(gateway).orElseThrow().destroyForcibly();
            assertThat(ask("app")).isEqualTo("ok");
            assertThat(warden.status().gatewayPid()).isNotEqualTo(gateway);
        }
        assertThat(warden.status().gatewayRestarts()).isEqualTo(3);
        assertThat(show("app").identity()).isEqualTo(sandbox.identity());
    }

    @Test
    void aGatewayThatDiesBeforeThereIsASpareIsReplacedToo() throws Exception {
        create("app", false);
        for (ProcessHandle gateway : warden.gateways()) {
            gateway.destroyForcibly();
        }
        assertThat(ask("app")).isEqualTo("ok");
    }

    @Test
    void aKilledWardenTakesTheGatewaysAlongAndTheNextOneTakesOver() throws Exception {
        Api.SandboxView sandbox = create("app", false);
        warden.awaitSpare();
        List<ProcessHandle> gateways = warden.gateways();
        warden.kill();
        for (ProcessHandle gateway : gateways) {
            awaitEnd(List.of(gateway));
        }
        assertThat(enter(sandbox, "curl", "-s", "-m", "5", "http://127.0.0.1/healthz")).isEmpty();

        warden = WardenProcess.start(home);
        assertThat(ask("app")).isEqualTo("ok");
        assertThat(show("app").identity()).isEqualTo(sandbox.identity());
        assertThat(Files.readString(home.auditLog())).contains("\"session.reattach\"");
    }

    @Test
    void aSecretThatCannotBeReadCostsASandboxItsDoorsAndNotItsLife() throws Exception {
        Api.SandboxView sandbox = create("app", false);
        try (ControlClient client = warden.connect()) {
            client.putSecret(
                    "forge",
                    new SecretsApi.PutSecret(
                            "forge.example",
                            Optional.empty(),
                            Secret.of("a-value".getBytes(StandardCharsets.UTF_8)),
                            Optional.empty(),
                            Optional.empty()));
        }
        warden.kill();
        Path secret = home.secrets().resolve("forge.json");
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-r--r--"));

        warden = WardenProcess.start(home);
        Await.until(() -> !show("app").notices().isEmpty());
        assertThat(isAlive(sandbox)).isTrue();
        assertThat(show("app").state()).isEqualTo("running");
        assertThat(show("app").notices())
                .singleElement()
                .asString()
                .contains("without gateway access", secret.toString());
        assertThat(enter(sandbox, "curl", "-s", "-m", "5", "http://127.0.0.1/healthz")).isEmpty();

        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
        Await.until(() -> show("app").notices().isEmpty());
        assertThat(ask("app")).isEqualTo("ok");
        assertThat(show("app").identity()).isEqualTo(sandbox.identity());
        assertThat(Files.readString(home.auditLog()))
                .containsOnlyOnce("\"session.reattach-failed\"")
                .containsOnlyOnce("\"session.reattach\"");
    }

    @Test
    void aStoppedGatewayDiesWithItsWarden() throws Exception {
        warden.awaitSpare();
        List<ProcessHandle> gateways = warden.gateways();
        for (ProcessHandle gateway : gateways) {
            run(List.of("kill", "-STOP", Long.toString(gateway.pid())), Map.of());
        }
        warden.kill();
        awaitEnd(gateways);
        warden = WardenProcess.start(home);
    }

    private static void awaitEnd(List<ProcessHandle> gateways) throws InterruptedException {
        Await.until(() -> gateways.stream().allMatch(WardenIT::hasEnded));
    }

    private static boolean hasEnded(ProcessHandle process) {
        return Processes.hasEnded(process.pid());
    }

    @Test
    void aSignalLeavesSandboxesToTheNextWarden() throws Exception {
        Api.SandboxView sandbox = create("app", false);
        warden.terminate();
        assertThat(home.controlSocket()).doesNotExist();
        assertThat(home.wardenPid()).doesNotExist();
        warden = WardenProcess.start(home);
        assertThat(ask("app")).isEqualTo("ok");
        assertThat(show("app").identity()).isEqualTo(sandbox.identity());
    }

    @Test
    void theGatewayHasNoPrivilegesAndSeesNoEnvironment() throws Exception {
        warden.awaitSpare();
        for (ProcessHandle gateway : warden.gateways()) {
            Path proc = Path.of("/proc", Long.toString(gateway.pid()));
            String status = Files.readString(proc.resolve("status"));
            assertThat(status)
                    .containsPattern("Uid:\\s+61183\\s+61183\\s+61183\\s+61183")
                    .containsPattern("Gid:\\s+61183\\s+61183\\s+61183\\s+61183")
                    .containsPattern("Groups:\\s*\\n")
                    .containsPattern("CapEff:\\s+0{16}")
                    .containsPattern("CapBnd:\\s+0{16}")
                    .containsPattern("NoNewPrivs:\\s+1");
            assertThat(threadsOf(proc))
                    .isNotEmpty()
                    .allSatisfy(thread -> assertThat(thread).containsPattern("Seccomp:\\s+2"));
            String environment =
                    Files.readString(proc.resolve("environ"), StandardCharsets.ISO_8859_1);
            assertThat(environment.split("\0", -1))
                    .containsExactlyInAnyOrder(
                            "PATH=/usr/bin:/bin:/usr/sbin:/sbin",
                            "LANG=C.UTF-8",
                            "MALLOC_ARENA_MAX=2",
                            "");
        }
    }

    /// What the kernel says of each thread that has not ended meanwhile.
    private static List<String> threadsOf(Path proc) throws IOException {
        List<String> said = new ArrayList<>();
        try (var threads = Files.newDirectoryStream(proc.resolve("task"))) {
            for (Path thread : threads) {
                try {
                    said.add(Files.readString(thread.resolve("status")));
                } catch (IOException e) {
                    assertThat(thread).doesNotExist();
                }
            }
        }
        return said;
    }

    @Test
    void anEphemeralSandboxEndsWithItsConnection() throws Exception {
        Api.SandboxView sandbox;
        try (ControlClient client = warden.connect()) {
            sandbox = client.create(request("short", true));
            assertThat(client.sandboxes().sandboxes()).hasSize(1);
        }
        awaitGone(sandbox);
        Await.until(() -> warden.status().sandboxes() == 0);
        assertThat(home.sandboxes()).isEmptyDirectory();
    }

    @Test
    void aLeaseThatIsTakenAgainKeepsTheSandboxAcrossAWarden() throws Exception {
        ControlClient first = warden.connect();
        Api.SandboxView kept = first.create(request("kept", true));
        Api.SandboxView lost = first.create(request("lost", true));
        warden.kill();
        first.close();
        warden = WardenProcess.start(home);
        try (ControlClient again = warden.connect()) {
            again.lease("kept");
            awaitGone(lost);
            Thread.sleep(1_000);
            assertThat(again.sandbox("kept").identity()).isEqualTo(kept.identity());
            assertThat(ask("kept")).isEqualTo("ok");
        }
        awaitGone(kept);
    }

    @Test
    void theEndOfTheFirstProcessStopsTheSandboxAndStartRevivesIt() throws Exception {
        Api.SandboxView sandbox = create("app", false);
        long pid = sandbox.identity().orElseThrow().pid();
        ProcessHandle.of(pid).orElseThrow().destroyForcibly();
        Await.until(() -> show("app").state().equals("stopped"));
        assertThatThrownBy(() -> exec("app", "true")).isInstanceOf(ControlException.class);
        try (ControlClient client = warden.connect()) {
            client.start("app");
        }
        assertThat(ask("app")).isEqualTo("ok");
    }

    @Test
    void shutdownStopsSandboxesAndLeavesNothingBehind() throws Exception {
        Api.SandboxView sandbox = create("app", false);
        List<ProcessHandle> gateways = warden.gateways();
        try (ControlClient client = warden.connect()) {
            client.shutdown(new Api.Shutdown(false));
        }
        for (ProcessHandle gateway : gateways) {
            gateway.onExit().get(60, TimeUnit.SECONDS);
        }
        assertThat(isAlive(sandbox)).isFalse();
        warden = WardenProcess.start(home);
        assertThat(show("app").state()).isEqualTo("stopped");
    }

    @Test
    void aSecondWardenLeavesTheFirstAlone() throws Exception {
        long first = warden.status().wardenPid();
        WardenProcess second = WardenProcess.start(home);
        second.awaitExit();
        assertThat(warden.status().wardenPid()).isEqualTo(first);
    }

    /// Even with the modes wide open, the kernel's word about the peer decides.
    @Test
    void anotherUserIsNotAnsweredEvenThroughAnOpenSocket() throws Exception {
        for (Path path : List.of(temporary, home.root(), home.run())) {
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
        Files.setPosixFilePermissions(
                home.controlSocket(), PosixFilePermissions.fromString("rw-rw-rw-"));
        List<String> curl =
                List.of(
                        "curl",
                        "-s",
                        "-m",
                        "5",
                        "--unix-socket",
                        home.controlSocket().toString(),
                        "http://sallyport/v1/status");
        List<String> asNobody =
                new ArrayList<>(
                        List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"));
        asNobody.addAll(curl);
        assertThat(run(asNobody, Map.of())).isEmpty();
        assertThat(run(curl, Map.of())).contains("wardenPid");
        assertThatThrownBy(warden::connect)
                .isInstanceOfSatisfying(
                        ControlException.class,
                        e -> assertThat(e.problem().code()).isEqualTo("unsafe-path"));
        for (Path path : List.of(home.root(), home.run())) {
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwx------"));
        }
        Files.setPosixFilePermissions(
                home.controlSocket(), PosixFilePermissions.fromString("rw-------"));
    }

    private Api.SandboxView create(String name, boolean ephemeral) throws ControlException {
        try (ControlClient client = warden.connect()) {
            return client.create(request(name, ephemeral));
        }
    }

    private Api.CreateSandbox request(String name, boolean ephemeral) {
        return new Api.CreateSandbox(
                Optional.of(name),
                Optional.of("bubblewrap"),
                Optional.empty(),
                workspace.toString(),
                List.of(),
                Api.ReachRequest.STANDARD,
                GitSettings.STANDARD,
                ephemeral,
                Api.LifeRequest.STANDARD,
                Api.MountRequest.NONE,
                Api.ResourceRequest.STANDARD,
                Api.HardeningRequest.STANDARD,
                Api.HomeRequest.STANDARD,
                Optional.empty());
    }

    private Api.SandboxView show(String name) throws ControlException {
        try (ControlClient client = warden.connect()) {
            return client.sandbox(name);
        }
    }

    private String ask(String name) throws Exception {
        return exec(name, "curl", "-sS", "-m", "60", "http://gateway.sallyport/healthz").strip();
    }

    private String exec(String name, String... command) throws Exception {
        try (ControlClient client = warden.connect()) {
            Api.ExecAnswer plan =
                    client.exec(
                            name,
                            new Api.ExecCommand(
                                    List.of(command), false, Optional.empty(), Map.of()));
            return run(plan.argv(), plan.environment());
        }
    }

    private static String enter(Api.SandboxView sandbox, String... command) throws Exception {
        String pid = Long.toString(sandbox.identity().orElseThrow().pid());
        List<String> argv = new ArrayList<>(List.of("nsenter", "-t", pid, "-n", "--"));
        argv.addAll(List.of(command));
        return run(argv, Map.of());
    }

    private static String run(List<String> argv, Map<String, String> environment)
            throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(argv);
        builder.environment().clear();
        builder.environment().put("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
        builder.environment().putAll(environment);
        builder.redirectInput(new File("/dev/null"));
        builder.redirectError(ProcessBuilder.Redirect.DISCARD);
        Process process = builder.start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(90, TimeUnit.SECONDS)).isTrue();
        return out;
    }

    private static boolean isAlive(Api.SandboxView sandbox) {
        return !Processes.hasEnded(sandbox.identity().orElseThrow().pid());
    }

    private static void awaitGone(Api.SandboxView sandbox) throws InterruptedException {
        Await.until("the end of " + sandbox.name(), () -> !isAlive(sandbox));
    }
}

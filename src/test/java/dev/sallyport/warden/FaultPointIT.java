package dev.sallyport.warden;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.config.GitSettings;
import dev.sallyport.config.Home;
import dev.sallyport.control.Api;
import dev.sallyport.control.ControlClient;
import dev.sallyport.control.ControlException;
import dev.sallyport.fixture.Await;
import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.Leftovers;
import dev.sallyport.fixture.Plans;
import dev.sallyport.fixture.Processes;
import dev.sallyport.sandbox.ExecPlan;
import dev.sallyport.sandbox.Installation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/// P14: whichever process dies at whichever step of `new`, the next command finds a whole sandbox
/// or none, and nothing of half a one is left.
class FaultPointIT {
    @TempDir private Path temporary;

    private Home home;
    private Path orders;
    private Path workspace;
    private Leftovers leftovers;
    private WardenProcess warden;

    @BeforeEach
    void start() throws Exception {
        home = new Home(temporary.toRealPath().resolve("home"));
        workspace = Files.createDirectory(temporary.resolve("work"));
        orders = Files.createDirectory(temporary.resolve("orders"));
        leftovers = Leftovers.of(home.root());
        warden = WardenProcess.start(home, List.of("-Dsallyport.fault-points=" + orders));
    }

    @AfterEach
    void stop() throws Exception {
        warden.close();
        assertThat(leftovers.after()).isEmpty();
        assertThat(firstProcesses()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "TAKING_OVER")
    void P14_theWardenDies(FaultPoint point) throws Exception {
        CompletableFuture<Boolean> made = heldAt(point);
        warden.kill();
        release(point);
        assertThat(made.get(1, TimeUnit.MINUTES)).as("an answer").isFalse();
        warden = WardenProcess.start(home);

        wholeOrNone();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "TAKING_OVER")
    void P14_theGatewayDies(FaultPoint point) throws Exception {
        CompletableFuture<Boolean> made = heldAt(point);
        warden.gateways().forEach(ProcessHandle::destroyForcibly);
        release(point);
        made.get(2, TimeUnit.MINUTES);

        wholeOrNone();
    }

    @ParameterizedTest
    @CsvSource({"MADE", "IDENTIFIED", "OPENED"})
    void P14_theFirstProcessDies(FaultPoint point) throws Exception {
        CompletableFuture<Boolean> made = heldAt(point);
        List<Long> first = firstProcesses();
        assertThat(first).isNotEmpty();
        first.forEach(pid -> Command.of("kill", "-KILL", Long.toString(pid)).run());
        Await.until(() -> firstProcesses().isEmpty());
        release(point);
        made.get(2, TimeUnit.MINUTES);

        wholeOrNone();
    }

    /// However long it takes to take over: people are answered, and a sandbox is waited for alone.
    @Test
    void aNewWardenAnswersBeforeItHasTakenOver() throws Exception {
        assertThat(create()).isTrue();
        warden.kill();
        Files.createFile(orders.resolve(FaultPoint.TAKING_OVER.label()));
        warden = WardenProcess.start(home, List.of("-Dsallyport.fault-points=" + orders));
        Path reached = orders.resolve(FaultPoint.TAKING_OVER.label() + ".reached");
        Await.until(() -> Files.exists(reached));
        assertThat(reached).exists();
        assertThat(sandboxes()).extracting(Api.SandboxView::state).containsExactly("reattaching");

        release(FaultPoint.TAKING_OVER);
        assertThat(health()).isEqualTo("ok");
        assertThat(sandboxes()).extracting(Api.SandboxView::state).containsExactly("running");
    }

    /// Whether the sandbox could be made; held until [#release].
    private CompletableFuture<Boolean> heldAt(FaultPoint point) throws IOException {
        Files.createFile(orders.resolve(point.label()));
        CompletableFuture<Boolean> made = CompletableFuture.supplyAsync(this::create);
        Path reached = orders.resolve(point.label() + ".reached");
        Await.until(() -> Files.exists(reached));
        assertThat(reached).exists();
        return made;
    }

    private void release(FaultPoint point) throws IOException {
        Files.delete(orders.resolve(point.label()));
    }

    private boolean create() {
        try (ControlClient client = warden.connect()) {
            client.create(
                    new Api.CreateSandbox(
                            Optional.of("box"),
                            Optional.of("bubblewrap"),
                            Optional.empty(),
                            workspace.toString(),
                            List.of(),
                            Api.ReachRequest.STANDARD,
                            GitSettings.STANDARD,
                            false,
                            Api.LifeRequest.STANDARD,
                            Api.MountRequest.NONE,
                            Api.ResourceRequest.STANDARD,
                            Api.HardeningRequest.STANDARD,
                            Api.HomeRequest.STANDARD,
                            Optional.empty()));
            return true;
        } catch (ControlException e) {
            return false;
        }
    }

    private void wholeOrNone() throws Exception {
        Await.until(() -> sandboxes().stream().allMatch(FaultPointIT::isSettled));
        for (Api.SandboxView sandbox : sandboxes()) {
            if (sandbox.state().equals("running")) {
                assertThat(health()).isEqualTo("ok");
            } else {
                assertThat(sandbox.state()).isEqualTo("stopped");
            }
            try (ControlClient client = warden.connect()) {
                client.destroy(sandbox.name());
            }
        }
        Await.until(() -> firstProcesses().isEmpty());
        assertThat(firstProcesses()).isEmpty();
        assertThat(create()).as("the name is free again").isTrue();
        assertThat(health()).isEqualTo("ok");
    }

    private static boolean isSettled(Api.SandboxView sandbox) {
        return sandbox.state().equals("stopped")
                || (sandbox.state().equals("running")
                        && sandbox.identity()
                                .filter(identity -> !Processes.hasEnded(identity.pid()))
                                .isPresent());
    }

    private List<Api.SandboxView> sandboxes() {
        try (ControlClient client = warden.connect()) {
            return client.sandboxes().sandboxes();
        } catch (ControlException e) {
            throw new AssertionError(e);
        }
    }

    private String health() throws ControlException {
        try (ControlClient client = warden.connect()) {
            List<String> curl =
                    List.of("curl", "-sS", "-m", "60", "http://gateway.sallyport/healthz");
            Api.ExecAnswer answer =
                    client.exec(
                            "box", new Api.ExecCommand(curl, false, Optional.empty(), Map.of()));
            var plan = new ExecPlan(answer.argv(), answer.environment(), answer.enters());
            return Plans.command(plan).run().ok();
        }
    }

    /// Processes 1 of this installation's sandboxes, by their marks.
    private List<Long> firstProcesses() {
        String tag = new Installation(home.root()).tag();
        return ProcessHandle.allProcesses()
                .map(ProcessHandle::pid)
                .filter(pid -> isFirst(pid, tag))
                .toList();
    }

    private static boolean isFirst(long pid, String tag) {
        try {
            String command = Files.readString(Path.of("/proc", Long.toString(pid), "cmdline"));
            return command.startsWith("/bin/sh\0-c\0")
                    && command.contains("echo ready")
                    && command.contains("\0" + tag);
        } catch (IOException e) {
            return false;
        }
    }
}

package dev.sallyport.warden;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.config.Home;
import dev.sallyport.confine.Jvm;
import dev.sallyport.control.Api;
import dev.sallyport.control.ControlClient;
import dev.sallyport.control.ControlException;
import dev.sallyport.fixture.Published;
import java.io.File;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// A real warden process, started from what the launcher has published, as the command line does.
final class WardenProcess implements AutoCloseable {

    private final Home home;
    private final Process process;

    private WardenProcess(Home home, Process process) {
        this.home = home;
        this.process = process;
    }

    static WardenProcess start(Home home) throws IOException, InterruptedException {
        return start(home, List.of());
    }

    /// @param options further ones for its JVM
    static WardenProcess start(Home home, List<String> options)
            throws IOException, InterruptedException {
        home.create();
        Path jar = Published.jar();
        List<String> argv =
                Jvm.WARDEN.command(
                        Jvm.ownHome(),
                        jar.toString(),
                        Jvm.WARDEN.cache(jar),
                        options,
                        "internal-warden",
                        home.root().toString());
        ProcessBuilder builder = new ProcessBuilder(argv);
        builder.environment().clear();
        builder.environment().put("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
        builder.redirectErrorStream(true);
        builder.redirectOutput(ProcessBuilder.Redirect.appendTo(home.wardenLog().toFile()));
        builder.redirectInput(new File("/dev/null"));
        WardenProcess warden = new WardenProcess(home, builder.start());
        warden.awaitAnswer();
        return warden;
    }

    private void awaitAnswer() throws IOException, InterruptedException {
        for (int i = 0; i < 600 && process.isAlive(); i++) {
            try (ControlClient client = ControlClient.connect(home)) {
                client.status();
                return;
            } catch (ControlException e) {
                Thread.sleep(100);
            }
        }
        throw new AssertionError("no warden: " + Files.readString(home.wardenLog()));
    }

    ControlClient connect() throws ControlException {
        return ControlClient.connect(home);
    }

    Api.Status status() throws ControlException {
        try (ControlClient client = connect()) {
            return client.status();
        }
    }

    /// The gateway at work and the spare.
    List<ProcessHandle> gateways() {
        return process.toHandle()
                .children()
                .filter(child -> commandLine(child).contains("internal-gateway"))
                .toList();
    }

    private static String commandLine(ProcessHandle handle) {
        try {
            return Files.readString(Path.of("/proc", Long.toString(handle.pid()), "cmdline"));
        } catch (IOException e) {
            return "";
        }
    }

    /// Waits until the log says that one of the gateways is ready as a spare.
    void awaitSpare() throws IOException, ControlException, InterruptedException {
        for (int i = 0; i < 1800; i++) {
            long working = status().gatewayPid();
            String log = Files.readString(home.wardenLog());
            if (gateways().stream()
                    .map(ProcessHandle::pid)
                    .anyMatch(pid -> pid != working && saysReady(log, pid))) {
                return;
            }
            Thread.sleep(100);
        }
        throw new AssertionError("no spare gateway: " + Files.readString(home.wardenLog()));
    }

    private static boolean saysReady(String log, long pid) {
        return log.contains(GatewaySupervisor.SPARE_READY + pid + "\n");
    }

    void awaitExit() throws InterruptedException {
        if (!process.waitFor(60, TimeUnit.SECONDS)) {
            throw new AssertionError("the process does not end");
        }
    }

    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    void terminate() throws InterruptedException {
        process.destroy();
        awaitExit();
    }

    @Override
    public void close() throws IOException {
        try (ControlClient client = connect()) {
            for (Api.SandboxView sandbox : client.sandboxes().sandboxes()) {
                destroy(client, sandbox.name());
            }
            shutdown(client);
            awaitExit();
        } catch (ControlException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            process.destroyForcibly();
        }
        assertNothingIsLeft();
    }

    /// It may be over before its answer is on the way.
    private static void shutdown(ControlClient client) throws ControlException {
        try {
            client.shutdown(new Api.Shutdown(false));
        } catch (ControlException e) {
            if (!e.isConnectionLost()) {
                throw e;
            }
        }
    }

    /// One whose lease has just ended may be gone already.
    private static void destroy(ControlClient client, String name) throws ControlException {
        try {
            client.destroy(name);
        } catch (ControlException e) {
            if (e.status() != 404) {
                throw e;
            }
        }
    }

    private void assertNothingIsLeft() throws IOException {
        GatewayAccount account = GatewayAccount.choose(Patron.own(home));
        try (DirectoryStream<Path> left =
                Files.newDirectoryStream(account.parent(), account.prefix() + "????")) {
            assertThat(left).isEmpty();
        }
        assertThat(home.controlSocket()).doesNotExist();
        assertThat(home.wardenPid()).doesNotExist();
        assertThat(home.sandboxes()).isEmptyDirectory();
    }
}

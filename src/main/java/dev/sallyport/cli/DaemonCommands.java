package dev.sallyport.cli;

import dev.sallyport.control.Api;
import dev.sallyport.control.ControlClient;
import dev.sallyport.control.ControlException;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// The commands about the daemons themselves.
final class DaemonCommands {
    private DaemonCommands() {}

    @Command(
            name = "up",
            description = "Start the daemon. Other commands start it when they need it.")
    static final class Up extends WardenCommand {
        @Override
        void ask(ControlClient warden) throws IOException, ControlException, CliException {
            Api.Status status = warden.status();
            output.answer(status, "running (warden " + status.wardenPid() + ")\n");
        }
    }

    @Command(name = "down", description = "Stop all sandboxes and the daemon.")
    static final class Down implements Callable<Integer> {
        @Mixin private Output output;

        @Option(
                names = "--keep-sandboxes",
                description =
                        "Keep sandboxes running. They can reach nothing until the daemon is back.")
        private boolean keepSandboxes;

        @Override
        public Integer call()
                throws IOException, ControlException, CliException, InterruptedException {
            Optional<ControlClient> running = output.wardens().connect();
            if (running.isEmpty()) {
                output.answer(new Api.Done(), "not running\n");
                return ExitCode.OK.status();
            }
            try (ControlClient warden = running.get()) {
                ControlClient.Running status = warden.running();
                warden.shutdown(new Api.Shutdown(keepSandboxes));
                int stopped = keepSandboxes ? 0 : status.sandboxes();
                try (Waiting waiting = output.waiting("stopping the daemon")) {
                    if (stopped > 0) {
                        waiting.asking(() -> left(warden));
                    }
                    new Departure(status.wardenPid(), stopped).await();
                }
            }
            output.answer(new Api.Done(), "stopped\n");
            return ExitCode.OK.status();
        }

        /// Those that are not stopped yet; the daemon answers as long as there are any.
        private static String left(ControlClient warden) throws ControlException {
            long left =
                    warden.sandboxes().sandboxes().stream()
                            .filter(view -> view.state().equals("running"))
                            .count();
            return left == 1 ? "1 sandbox is left" : left + " sandboxes are left";
        }
    }

    @Command(name = "status", description = "Show whether the daemon runs and which runtimes work.")
    static final class Status implements Callable<Integer> {
        @Mixin private Output output;

        @Override
        public Integer call() throws IOException, ControlException, CliException {
            try (ControlClient warden = output.wardens().connectToRunning()) {
                Api.Status status = warden.status();
                output.answer(status, text(status));
            }
            return ExitCode.OK.status();
        }

        private static String text(Api.Status status) {
            Lines lines =
                    new Lines()
                            .add("version", status.version())
                            .add("home", status.home())
                            .add("warden", "process " + status.wardenPid())
                            .add("gateway", gateway(status))
                            .add("sandboxes", Integer.toString(status.sandboxes()));
            status.runtimes().forEach(lines::add);
            status.troubles().forEach(trouble -> lines.add("trouble", trouble));
            return lines.text();
        }

        private static String gateway(Api.Status status) {
            return (status.gatewayPid() == 0 ? "starting" : "process " + status.gatewayPid())
                    + ", restarted "
                    + status.gatewayRestarts()
                    + " times";
        }
    }
}

package dev.sallyport.cli;

import dev.sallyport.control.Api;
import dev.sallyport.control.ControlClient;
import dev.sallyport.control.ControlException;
import dev.sallyport.control.MetricsText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// The commands about the daemons themselves.
final class DaemonCommands {
    @Command(
            name = "up",
            description = "Start the daemon. Other commands start it when they need it.")
    static final class Up extends WardenCommand {
        @Override
        void ask(ControlClient warden) throws IOException, ControlException, CliException {
            Api.Status status = warden.status();
            output.answer(status, "running (process " + status.wardenPid() + ")\n");
        }
    }

    @Command(name = "down", description = "Stop all sandboxes and the daemon.")
    static final class Down extends SucceedingCommand {
        @Option(
                names = "--keep-sandboxes",
                description =
                        "Keep sandboxes and their commands running. They can reach nothing until the daemon is back.")
        private boolean keepSandboxes;

        @Override
        void act() throws IOException, ControlException, CliException, InterruptedException {
            Optional<ControlClient> running = output.wardens().connect();
            if (running.isEmpty()) {
                output.answer(new Api.Done(), "not running\n");
                return;
            }
            try (ControlClient warden = running.get()) {
                ControlClient.Running status = warden.running();
                shutDown(warden);
                int stopped = keepSandboxes ? 0 : status.sandboxes();
                try (Waiting waiting = output.waiting("stopping the daemon")) {
                    if (stopped > 0) {
                        waiting.asking(() -> left(warden));
                    }
                    new Departure(status.wardenPid(), stopped).await();
                }
            }
            output.answer(new Api.Done(), "stopped\n");
        }

        /// It may end before its answer has left. Whether it ends is seen by its process.
        private void shutDown(ControlClient warden) throws ControlException {
            try {
                warden.shutdown(new Api.Shutdown(keepSandboxes))
                        .unrecorded()
                        .ifPresent(
                                why ->
                                        output.warn(
                                                "The stop is not in the audit log, which cannot be written: "
                                                        + why
                                                        + " See: sallyport audit verify"));
            } catch (ControlException e) {
                if (!e.isConnectionLost()) {
                    throw e;
                }
            }
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
    static final class Status extends SucceedingCommand {
        @Override
        void act() throws IOException, ControlException, CliException {
            try (ControlClient warden = output.wardens().connectToRunning()) {
                Api.Status status = warden.status();
                output.answer(status, text(status));
            }
        }

        private static String text(Api.Status status) {
            Lines lines =
                    new Lines()
                            .add("version", status.version())
                            .add("home", status.home())
                            .add("daemon", "process " + status.wardenPid())
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

    @Command(
            name = "metrics",
            description =
                    "Print the daemon's metrics in the format of Prometheus or OpenTelemetry.",
            footer = {
                "",
                "To let Prometheus scrape them, add this to policy.yaml and restart the daemon:",
                "  metrics: {port: 9464}",
                "The address is then http://127.0.0.1:9464/metrics. To send them to an",
                "OpenTelemetry collector every minute, add this:",
                "  metrics: {otlp: {url: \"http://127.0.0.1:4318/v1/metrics\"}}",
                "",
                "Example:",
                "  sallyport metrics | grep sallyport_decisions_total"
            })
    static final class Metrics extends WardenCommand {
        /// As they are typed.
        @SuppressWarnings("PMD.FieldNamingConventions")
        enum Format {
            prometheus,
            otlp
        }

        @Option(
                names = "--format",
                paramLabel = "FORMAT",
                description = "prometheus or otlp. Default: prometheus.")
        private Format format = Format.prometheus;

        @Override
        void ask(ControlClient warden) throws IOException, ControlException, CliException {
            MetricsText metrics =
                    switch (format) {
                        case prometheus -> warden.metrics();
                        case otlp -> warden.metricsOtlp();
                    };
            String end = metrics.text().endsWith("\n") ? "" : "\n";
            output.answer(metrics, metrics.text() + end);
        }
    }

    /// Waits for a process that has agreed to end. It is not our child: the JDK would look for its
    /// end at intervals that grow to seconds, and would take it for alive until the machine's first
    /// process has collected it.
    ///
    /// @param sandboxes how many it stops first
    record Departure(long pid, int sandboxes) {
        private static final Duration PATIENCE = Duration.ofSeconds(20);
        private static final Duration PATIENCE_PER_SANDBOX = Duration.ofSeconds(1);
        private static final Duration INTERVAL = Duration.ofMillis(20);

        void await() throws CliException, InterruptedException {
            Duration patience = PATIENCE.plus(PATIENCE_PER_SANDBOX.multipliedBy(sandboxes));
            Instant deadline = Instant.now().plus(patience);
            while (!isOver()) {
                if (Instant.now().isAfter(deadline)) {
                    throw ExitCode.UNAVAILABLE.because(
                            "does-not-end",
                            "The daemon (process %d) did not stop within %d seconds."
                                    .formatted(pid, patience.toSeconds()),
                            "Check its log, or end it: kill " + pid);
                }
                Thread.sleep(INTERVAL);
            }
        }

        private boolean isOver() {
            try {
                Path file = Path.of("/proc", Long.toString(pid), "stat");
                String stat = Files.readString(file, StandardCharsets.ISO_8859_1);
                return stat.startsWith("Z", stat.lastIndexOf(')') + 2);
            } catch (IOException e) {
                return true;
            }
        }
    }

    /// Says which build this is.
    @Command(name = "version", description = "Show the version.")
    static final class ShowVersion extends SucceedingCommand {
        static String version() {
            return Optional.ofNullable(Sallyport.class.getPackage().getImplementationVersion())
                    .orElse("development");
        }

        static String text() {
            return "sallyport " + version() + " (Java " + Runtime.version() + ")";
        }

        /// The stable document of `--json`.
        record Version(String version, String java) {}

        @Override
        void act() {
            output.answer(new Version(version(), Runtime.version().toString()), text() + "\n");
        }
    }
}

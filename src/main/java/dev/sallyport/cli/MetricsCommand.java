package dev.sallyport.cli;

import dev.sallyport.control.ControlClient;
import dev.sallyport.control.ControlException;
import dev.sallyport.control.MetricsText;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "metrics",
        description = "Print figures of the daemon in the format of Prometheus or OpenTelemetry.",
        footer = {
            "",
            "For a Prometheus that fetches them, write to policy.yaml:",
            "  metrics: {port: 9464}",
            "They are then at http://127.0.0.1:9464/metrics after the next start of the daemon.",
            "For a collector of OpenTelemetry that gets them every minute:",
            "  metrics: {otlp: {url: \"http://127.0.0.1:4318/v1/metrics\"}}",
            "",
            "Example:",
            "  sallyport metrics | grep sallyport_decisions_total"
        })
final class MetricsCommand extends WardenCommand {
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

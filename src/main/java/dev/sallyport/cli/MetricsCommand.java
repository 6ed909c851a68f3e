package dev.sallyport.cli;

import dev.sallyport.control.ControlClient;
import dev.sallyport.control.ControlException;
import dev.sallyport.control.MetricsText;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
        name = "metrics",
        description = "Print figures of the daemon in the text format of Prometheus.",
        footer = {
            "",
            "For a Prometheus that fetches them, write to policy.yaml:",
            "  metrics: {port: 9464}",
            "They are then at http://127.0.0.1:9464/metrics after the next start of the daemon.",
            "",
            "Example:",
            "  sallyport metrics | grep sallyport_decisions_total"
        })
final class MetricsCommand implements Callable<Integer> {
    @Mixin private final Output output;
    private final Wardens wardens;

    MetricsCommand(Output output, Wardens wardens) {
        this.output = output;
        this.wardens = wardens;
    }

    @Override
    public Integer call() throws IOException, ControlException, CliException {
        try (ControlClient warden = wardens.connectOrStart(output)) {
            MetricsText metrics = warden.metrics();
            output.answer(metrics, metrics.text());
        }
        return ExitCode.OK.status();
    }
}

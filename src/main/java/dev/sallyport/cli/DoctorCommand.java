package dev.sallyport.cli;

import dev.sallyport.doctor.Doctor;
import dev.sallyport.doctor.Finding;
import dev.sallyport.sandbox.docker.DockerRuntime;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.logging.Level;
import java.util.logging.Logger;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/// Looks at the host.
@Command(
        name = "doctor",
        description = {
            "Check this host and show how to fix each problem.",
            "Starts no daemon and changes nothing. Exit status 0 if no check failed."
        },
        footer = {"", "Example:", "  sallyport doctor --json"})
final class DoctorCommand implements Callable<Integer> {
    /// An engine that is not there is a finding, and nothing else is to be said about it.
    private static final Logger DOCKER_LOG = Logger.getLogger("com.github.dockerjava");

    @Mixin private Output output;

    /// The stable document of `--json`.
    record Findings(boolean healthy, List<Finding> findings) {}

    @Override
    public Integer call() throws IOException {
        DOCKER_LOG.setLevel(Level.OFF);
        Doctor doctor =
                new Doctor(
                        output.wardens().home(),
                        output.wardens().machine(),
                        engine(),
                        output.surroundings().directory(),
                        OwnProgram.file(),
                        DaemonCommands.ShowVersion.version());
        List<Finding> findings;
        try (Waiting _ = output.waiting("examining this machine")) {
            findings = doctor.examine();
        }
        boolean healthy = findings.stream().noneMatch(f -> f.level() == Finding.Level.FAIL);
        output.answer(
                new Findings(healthy, findings), text(findings, output.surroundings().outInk()));
        return (healthy ? ExitCode.OK : ExitCode.FAILED).status();
    }

    /// The same engine as the warden would use.
    private URI engine() {
        return DockerRuntime.engine(output.surroundings().environment());
    }

    private static String text(List<Finding> findings, Ink ink) {
        Table table = new Table("", "WHAT", "FOUND");
        StringBuilder remedies = new StringBuilder();
        for (Finding finding : findings) {
            table.row(mark(finding.level()), finding.subject(), finding.seen());
            if (finding.level() != Finding.Level.OK) {
                remedies.append(paint(ink, finding.level(), finding.subject()))
                        .append(": ")
                        .append(Printable.of(finding.remedy()))
                        .append('\n');
            }
        }
        return table.render(ink) + (remedies.isEmpty() ? "" : "\nWhat to do:\n" + remedies);
    }

    private static String mark(Finding.Level level) {
        return switch (level) {
            case OK -> "ok";
            case WARN -> "warn";
            case FAIL -> "FAIL";
        };
    }

    private static String paint(Ink ink, Finding.Level level, String text) {
        return switch (level) {
            case OK -> text;
            case WARN -> ink.yellow(text);
            case FAIL -> ink.red(text);
        };
    }
}

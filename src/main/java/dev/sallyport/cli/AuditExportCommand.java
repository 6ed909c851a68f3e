package dev.sallyport.cli;

import dev.sallyport.audit.AuditLine;
import dev.sallyport.control.ControlException;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "export",
        description = "Print the audit log for other programs, one JSON document per line.",
        footer = {
            "",
            "ocsf: one event of the Open Cybersecurity Schema Framework 1.3 per line.",
            "otlp: OpenTelemetry logs, as OTLP/JSON, up to 512 records per line.",
            "",
            "Example:",
            "  sallyport audit export --format ocsf --since 1d > events.jsonl"
        })
final class AuditExportCommand implements Callable<Integer> {
    private static final int BATCH_LINES_MAX = 512;

    @Mixin private Output output;
    @Mixin private final AuditFilterOptions wanted = new AuditFilterOptions();

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            required = true,
            description = "ocsf or otlp.")
    private Format format = Format.ocsf;

    /// As they are typed.
    @SuppressWarnings("PMD.FieldNamingConventions")
    enum Format {
        ocsf,
        otlp
    }

    @Override
    public Integer call() throws IOException, ControlException, CliException {
        PrintStream out = output.surroundings().out();
        if (format == Format.ocsf) {
            wanted.read(output, line -> out.println(Json.write(OcsfEvent.of(line))));
        } else {
            List<AuditLine> batch = new ArrayList<>();
            wanted.read(output, line -> add(batch, line, out));
            write(batch, out);
        }
        out.flush();
        return ExitCode.OK.status();
    }

    private static void add(List<AuditLine> batch, AuditLine line, PrintStream out) {
        batch.add(line);
        if (batch.size() == BATCH_LINES_MAX) {
            write(batch, out);
        }
    }

    private static void write(List<AuditLine> batch, PrintStream out) {
        if (!batch.isEmpty()) {
            out.println(Json.write(OtlpLogs.of(batch)));
            batch.clear();
        }
    }
}

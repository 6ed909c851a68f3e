package dev.sallyport.cli;

import dev.sallyport.audit.AuditFilter;
import dev.sallyport.control.ControlException;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
        name = "report",
        description = "Tell on one page what a sandbox did, also after it was removed.",
        footer = {
            "",
            "If several sandboxes had the name, the newest is told of. Name another by its",
            "session id.",
            "",
            "Examples:",
            "  sallyport audit report work",
            "  sallyport audit report 0123456789abcdef --json"
        })
final class AuditReportCommand implements Callable<Integer> {
    @Mixin private Output output;

    @Parameters(paramLabel = "NAME", description = "Name of the sandbox, or its session id.")
    private String name = "";

    @Override
    public Integer call() throws IOException, ControlException, CliException {
        Recorded record = new Recorded(output);
        String session = newest(record).orElse(name);
        String sandbox = record.sandboxOf(session).orElse(name);
        SessionStory story = new SessionStory(sandbox);
        record.read(AuditFilter.ofSession(session), story::add);
        if (story.isEmpty()) {
            throw new CliException(
                    ExitCode.FAILED,
                    "nothing-recorded",
                    "The audit log tells of no sandbox or session " + name + ".",
                    "Lines of the last hour: sallyport audit show --since 1h");
        }
        output.answer(story.report(sandbox, session), story.text(sandbox, session));
        return ExitCode.OK.status();
    }

    private Optional<String> newest(Recorded record)
            throws IOException, ControlException, CliException {
        String[] session = {""};
        AuditFilter named =
                new AuditFilter(
                        Optional.empty(),
                        Optional.of(name),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        OptionalInt.of(1));
        record.read(named, line -> session[0] = line.event().session());
        return Optional.of(session[0]).filter(id -> !id.isEmpty());
    }
}

package dev.sallyport.cli;

import dev.sallyport.audit.AuditFilter;
import dev.sallyport.control.Api;
import dev.sallyport.control.ControlClient;
import dev.sallyport.control.ControlException;
import dev.sallyport.story.DenialGroups;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
        name = "denials",
        description = "List what a sandbox was denied, each with the command that would allow it.",
        footer = {"", "Example:", "  sallyport denials work"})
final class DenialsCommand extends SucceedingCommand {
    @Mixin private SandboxName sandbox;

    /// The stable document of `--json`.
    record Denials(String name, String session, List<DenialGroups.Denial> denials) {}

    @Override
    void act() throws IOException, ControlException, CliException {
        Api.SandboxView view;
        try (ControlClient warden = output.wardens().connectOrStart(output)) {
            view = warden.sandbox(sandbox.name());
        }
        DenialGroups denials = new DenialGroups(view.name());
        new Recorded(output)
                .read(AuditFilter.ofSession(view.session()).decision("deny"), denials::add);
        output.answer(
                new Denials(view.name(), view.session(), denials.list()), text(denials.list()));
    }

    static String text(List<DenialGroups.Denial> denials) {
        if (denials.isEmpty()) {
            return "nothing was denied\n";
        }
        StringBuilder text = new StringBuilder();
        for (DenialGroups.Denial denial : denials) {
            text.append(Printable.of(denial.subject()));
            text.append(denial.reason().isEmpty() ? "" : "  " + Printable.of(denial.reason()));
            text.append("  ").append(denial.count()).append("x, last ").append(denial.last());
            text.append('\n');
            if (!denial.remedy().isEmpty()) {
                text.append("  to allow it: ").append(denial.remedy()).append('\n');
            }
        }
        return text.toString();
    }
}

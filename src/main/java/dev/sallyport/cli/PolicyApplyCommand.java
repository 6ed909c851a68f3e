package dev.sallyport.cli;

import dev.sallyport.control.Api;
import dev.sallyport.control.ControlClient;
import dev.sallyport.control.ControlException;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "apply",
        description = "Apply the changed policy file.",
        footer = {
            "",
            "Examples:",
            "  sallyport policy apply --dry-run",
            "  sallyport policy apply --running",
            "",
            "New sandboxes use the changed rules. Existing ones lose what the rules no longer",
            "allow, and get more only with --running. The daemon also notices a changed file by",
            "itself.",
            "",
            "Exit status: 0 if the file is in force, 77 with file and line if it has errors."
        })
final class PolicyApplyCommand extends WardenCommand {
    @Option(
            names = "--running",
            description = "Also give existing sandboxes what the rules now allow them.")
    private boolean running;

    @Option(names = "--dry-run", description = "Show what would change, and change nothing.")
    private boolean dryRun;

    @Override
    void ask(ControlClient warden) throws IOException, ControlException, CliException {
        Api.PolicyApplied applied = warden.applyPolicy(new Api.ApplyPolicy(running, dryRun));
        applied.warnings().forEach(output::warn);
        output.answer(applied, text(applied));
    }

    private String text(Api.PolicyApplied applied) {
        StringBuilder text = new StringBuilder();
        for (Api.RightsChange change : applied.sandboxes()) {
            text.append(change.name()).append('\n');
            lines(text, "  - ", change.lost());
            lines(text, "  + ", change.gained());
            if (!change.available().isEmpty()) {
                lines(text, "  not given: ", change.available());
            }
            lines(text, "  note: ", change.notices());
        }
        boolean more = applied.sandboxes().stream().anyMatch(c -> !c.available().isEmpty());
        text.append(dryRun && applied.changed() ? "would be in force: " : "in force: ")
                .append(applied.digest());
        text.append(applied.changed() ? "\n" : " (as before)\n");
        if (!applied.waiting().isEmpty()) {
            text.append("Restart the daemon to apply ")
                    .append(String.join(", ", applied.waiting()))
                    .append(": sallyport down --keep-sandboxes, sallyport up\n");
        }
        if (more) {
            text.append("To give existing sandboxes more: sallyport policy apply --running\n");
        }
        return text.toString();
    }

    private static void lines(StringBuilder text, String before, List<String> lines) {
        lines.forEach(line -> text.append(before).append(line).append('\n'));
    }
}

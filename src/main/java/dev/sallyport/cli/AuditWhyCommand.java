package dev.sallyport.cli;

import dev.sallyport.audit.AuditFilter;
import dev.sallyport.audit.AuditLine;
import dev.sallyport.audit.Stamp;
import dev.sallyport.control.ControlException;
import dev.sallyport.story.LineWords;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
        name = "why",
        description = "Explain the decision about one request, by the id that the sandbox saw.",
        footer = {"", "Example:", "  sallyport audit why 019a8f03c2d1"})
final class AuditWhyCommand extends SucceedingCommand {
    @Parameters(paramLabel = "ID", description = "Id in a refusal, or in the audit log.")
    private String id = "";

    /// The stable document of `--json`.
    ///
    /// @param runtime which one runs the sandbox, and who it is there
    /// @param policy first digits of the digest of its rights at that time
    record Why(
            String id,
            String session,
            String sandbox,
            String runtime,
            String policy,
            List<Step> steps) {}

    /// @param rule file and line of the rule that decided; empty when none did
    /// @param millis how long after the request came
    record Step(
            long seq,
            String time,
            String kind,
            String decision,
            String asked,
            String rule,
            long millis,
            List<Cause> causes) {}

    /// @param reason stable code
    /// @param remedy what would allow it; empty when no command does
    record Cause(String subject, String reason, String meaning, String remedy) {}

    @Override
    void act() throws IOException, ControlException, CliException {
        Recorded record = new Recorded(output);
        List<AuditLine> lines = new ArrayList<>();
        record.read(AuditFilter.ALL.id(id).last(AuditFilter.LAST_MAX / 10), lines::add);
        if (lines.isEmpty()) {
            throw ExitCode.FAILED.because(
                    "no-such-id",
                    "The audit log has no line with the id " + id + ".",
                    "Ids of denied requests: sallyport audit show --denied");
        }
        String session = lines.getFirst().event().session();
        String sandbox = sandbox(record, lines.getFirst());
        Stamp stamp = lines.getFirst().stamp();
        Why why =
                new Why(
                        id,
                        session,
                        sandbox,
                        stamp.runtime(),
                        stamp.policy(),
                        lines.stream().map(l -> step(l, sandbox)).toList());
        output.answer(why, text(why));
    }

    /// Lines that are older than stamps do not tell themselves.
    private static String sandbox(Recorded record, AuditLine line)
            throws IOException, ControlException, CliException {
        return line.sandbox().isEmpty()
                ? record.sandboxOf(line.event().session()).orElse("")
                : line.sandbox();
    }

    private static Step step(AuditLine line, String sandbox) {
        LineWords words = new LineWords(line);
        return new Step(
                line.seq(),
                line.time().toString(),
                line.event().kind(),
                line.event().decision(),
                words.asked(),
                line.event().detail().getOrDefault("rule", ""),
                line.millis().orElse(0),
                words.reasons().stream()
                        .map(
                                reason ->
                                        new Cause(
                                                reason.subject(),
                                                reason.code(),
                                                reason.sentence(),
                                                reason.remedy(sandbox)))
                        .toList());
    }

    private static String text(Why why) {
        StringBuilder text = new StringBuilder();
        text.append("sandbox ").append(why.sandbox().isEmpty() ? "-" : why.sandbox());
        text.append(", session ").append(why.session());
        if (!why.policy().isEmpty()) {
            text.append(", ").append(why.runtime()).append(", policy ").append(why.policy());
        }
        text.append('\n');
        why.steps().forEach(step -> text.append(text(step)));
        return text.toString();
    }

    /// One line in words, with its causes.
    static String text(AuditLine line, String sandbox) {
        return text(step(line, sandbox));
    }

    private static String text(Step step) {
        StringBuilder text = new StringBuilder();
        text.append(step.time()).append("  ").append(decision(step)).append("  ");
        text.append(Printable.of(step.asked()));
        text.append(step.rule().isEmpty() ? "" : "  by " + Printable.of(step.rule()));
        text.append(step.millis() == 0 ? "" : "  after " + step.millis() + " ms");
        text.append('\n');
        step.causes().forEach(cause -> append(text, cause));
        return text.toString();
    }

    private static String decision(Step step) {
        return switch (step.decision()) {
            case "allow" -> "allowed";
            case "deny" -> "denied";
            case "learned" -> "learned";
            default -> "noted";
        };
    }

    private static void append(StringBuilder text, Cause cause) {
        text.append("  ").append(Printable.of(cause.subject())).append(": ");
        text.append(Printable.of(cause.reason())).append('\n');
        if (!cause.meaning().isEmpty()) {
            text.append("    ").append(cause.meaning()).append('\n');
        }
        if (!cause.remedy().isEmpty()) {
            text.append("    to allow it: ").append(cause.remedy()).append('\n');
        }
    }
}

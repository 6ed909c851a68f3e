package dev.sallyport.cli;

import dev.sallyport.audit.AuditLine;
import dev.sallyport.audit.AuditReader;
import dev.sallyport.audit.ThinnedRecorder;
import dev.sallyport.control.Api;
import dev.sallyport.control.ControlClient;
import dev.sallyport.control.ControlException;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.Remedy;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
        name = "denials",
        description = "List what a sandbox was denied, each with the command that would allow it.",
        footer = {"", "Example:", "  sallyport denials work"})
final class DenialsCommand implements Callable<Integer> {
    private static final List<String> SUBJECTS = List.of("host", "name", "repo", "method", "path");
    private static final int COMMANDS_PER_LINE = 5;

    @Mixin private final Output output;
    private final Wardens wardens;

    @Parameters(paramLabel = "NAME", description = "Name of the sandbox.")
    private String name = "";

    DenialsCommand(Output output, Wardens wardens) {
        this.output = output;
        this.wardens = wardens;
    }

    /// The stable document of `--json`.
    record Denials(String name, String session, List<Denial> denials) {}

    /// @param remedy what would allow it; empty when no command does
    record Denial(
            String subject, String reason, String remedy, long count, String first, String last) {
        Denial again(long more, String time) {
            return new Denial(subject, reason, remedy, count + more, first, time);
        }
    }

    @Override
    public Integer call() throws IOException, ControlException, CliException {
        Api.SandboxView view;
        try (ControlClient warden = wardens.connectOrStart(output)) {
            view = warden.sandbox(name);
        }
        Map<String, Denial> groups = new LinkedHashMap<>();
        new Recorded(wardens, output)
                .read(
                        new AuditReader.Filter(
                                Optional.of(view.session()),
                                Optional.of("deny"),
                                Optional.empty(),
                                OptionalInt.empty()),
                        line -> add(groups, line));
        List<Denial> denials = List.copyOf(groups.values());
        output.answer(new Denials(view.name(), view.session(), denials), text(denials));
        return ExitCode.OK.status();
    }

    private void add(Map<String, Denial> groups, AuditLine line) {
        Map<String, String> facts = line.event().detail();
        String time = line.time().toString();
        if (line.event().kind().equals(ThinnedRecorder.SUMMARY)) {
            add(
                    groups,
                    new Denial("further ones, not listed singly", "", "", 0, time, time),
                    count(facts));
            return;
        }
        String reason = facts.getOrDefault("reason", "");
        if (!reason.isEmpty()) {
            add(groups, denial(subject(facts), reason, facts, time), 1);
        }
        for (int i = 1; facts.containsKey("ref-" + i) || i <= COMMANDS_PER_LINE; i++) {
            String why = facts.getOrDefault("reason-" + i, "");
            if (!why.isEmpty()) {
                String ref = facts.getOrDefault("repo", "") + " " + facts.get("ref-" + i);
                add(groups, denial(ref, why, facts, time), 1);
            }
        }
    }

    private static void add(Map<String, Denial> groups, Denial found, long more) {
        String key = found.subject() + "\n" + found.reason();
        Denial known = groups.getOrDefault(key, found);
        groups.put(key, known.again(more, found.last()));
    }

    private Denial denial(String subject, String reason, Map<String, String> facts, String time) {
        String remedy =
                Refusal.of(reason)
                        .flatMap(refusal -> Remedy.of(refusal, name, facts))
                        .map(Remedy::text)
                        .orElse("");
        return new Denial(subject, reason, remedy, 0, time, time);
    }

    private static String subject(Map<String, String> facts) {
        StringBuilder subject = new StringBuilder();
        for (String key : SUBJECTS) {
            String value = facts.get(key);
            if (value != null) {
                subject.append(subject.isEmpty() ? "" : " ").append(value);
                if (key.equals("host") && facts.containsKey("port")) {
                    subject.append(':').append(facts.get("port"));
                }
            }
        }
        return subject.toString();
    }

    private static long count(Map<String, String> facts) {
        try {
            return Long.parseLong(facts.getOrDefault("count", "1"));
        } catch (NumberFormatException _) {
            return 1;
        }
    }

    static String text(List<Denial> denials) {
        if (denials.isEmpty()) {
            return "nothing was denied\n";
        }
        StringBuilder text = new StringBuilder();
        for (Denial denial : denials) {
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

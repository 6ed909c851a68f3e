package dev.sallyport.cli;

import dev.sallyport.audit.AuditFilter;
import dev.sallyport.audit.AuditLine;
import dev.sallyport.config.Suggestion;
import dev.sallyport.control.ControlClient;
import dev.sallyport.control.ControlException;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.MalformedNameException;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/// Reads what a learning session was let through with from the audit files.
@Command(
        name = "suggest",
        description = "Print policy rules for what a learning sandbox did.",
        footer = {
            "",
            "Example:",
            "  sallyport policy suggest work > suggested.yaml",
            "  sallyport policy check suggested.yaml",
            "",
            "Copy the rules you want under egress: in policy.yaml. Read them first: what",
            "untrusted code did is not always what it should do."
        })
final class PolicySuggestCommand implements Callable<Integer> {
    private static final String LEARNED = "learned";

    @Mixin private Output output;

    @Parameters(
            paramLabel = "NAME|SESSION",
            description = "Name of the sandbox, or its session id if it was removed.")
    private String name = "";

    /// The stable document of `--json`.
    record Suggested(String session, String yaml) {}

    @Override
    public Integer call() throws IOException, ControlException, CliException {
        String session = session();
        Suggestion suggestion = new Suggestion();
        new Recorded(output)
                .read(
                        AuditFilter.ofSession(session).decision(LEARNED),
                        line -> add(line, suggestion));
        String yaml =
                "# Learned by the session "
                        + session
                        + (suggestion.isEmpty() ? ": nothing was allowed.\n" : ".\n")
                        + (suggestion.isEmpty() ? "" : suggestion.yaml());
        output.answer(new Suggested(session, yaml), yaml);
        return ExitCode.OK.status();
    }

    private String session() throws IOException, ControlException, CliException {
        if (name.matches("[0-9a-f]{16}")) {
            return name;
        }
        try (ControlClient warden = output.wardens().connectOrStart(output)) {
            return warden.sandbox(name).session();
        }
    }

    /// Lines that name no host are of other kinds.
    private static void add(AuditLine line, Suggestion suggestion) {
        Map<String, String> detail = line.event().detail();
        try {
            HostName host = HostName.parse(detail.getOrDefault("host", ""));
            int port = Integer.parseInt(detail.getOrDefault("port", ""));
            String method = detail.getOrDefault("method", "");
            if (method.isEmpty()) {
                suggestion.connection(host, port);
            } else {
                suggestion.request(host, port, method, detail.getOrDefault("path", "/"));
            }
        } catch (MalformedNameException | NumberFormatException e) {
            return;
        }
    }
}

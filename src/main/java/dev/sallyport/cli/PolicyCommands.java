package dev.sallyport.cli;

import dev.sallyport.audit.AuditFilter;
import dev.sallyport.audit.AuditLine;
import dev.sallyport.cli.SandboxName.SandboxNames;
import dev.sallyport.config.EgressText;
import dev.sallyport.config.GrantText;
import dev.sallyport.config.Perimeter;
import dev.sallyport.config.PolicyFile;
import dev.sallyport.config.Suggestion;
import dev.sallyport.control.Api;
import dev.sallyport.control.ControlClient;
import dev.sallyport.control.ControlException;
import dev.sallyport.policy.Egress;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.Parsing;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.SessionId;
import dev.sallyport.policy.Word;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// What can be asked about the policy. Most of it needs no daemon: the file is read as the warden
/// would read it.
@Command(
        name = "policy",
        description = "Check, apply, explain and export the policy.",
        footer = {
            "",
            "Examples:",
            "  sallyport policy check",
            "  sallyport policy apply",
            "  sallyport policy explain https://api.example.com/v1/models",
            "  sallyport policy explain acme/app",
            "  sallyport policy suggest work"
        },
        subcommands = {
            PolicyCommands.Check.class,
            PolicyCommands.Apply.class,
            PolicyCommands.Explain.class,
            TrustCommands.ListPresets.class,
            TrustCommands.Trust.class,
            PolicyCommands.Export.class,
            PolicyCommands.Suggest.class
        })
final class PolicyCommands {
    private static final SessionId NOBODY = new SessionId("0".repeat(16));

    static PolicyFile load(Output output, @Nullable Path file) throws IOException, CliException {
        Path chosen =
                file == null
                        ? output.wardens().home().policyFile()
                        : NamedFile.of(output.surroundings(), "the command", file);
        return PolicyFile.load(chosen, output.wardens().machine());
    }

    @Command(
            name = "check",
            description = "Check the policy file for errors.",
            footer = {"", "Exit status: 0 if the file is valid, 77 with file and line if not."})
    static final class Check extends SucceedingCommand {
        @Parameters(
                arity = "0..1",
                paramLabel = "FILE",
                description = "Check this file instead of the one in SALLYPORT_HOME.")
        private @Nullable Path file;

        /// The stable document of `--json`.
        record Checked(
                int hosts,
                int repositories,
                int egressRules,
                String egressDigest,
                List<String> warnings) {}

        @Override
        void act() throws IOException, CliException {
            PolicyFile policy = load(output, file);
            String digest = new Policy(NOBODY, List.of(), policy.egress()).digest();
            Checked checked =
                    new Checked(
                            policy.hosts().size(),
                            policy.git().size(),
                            policy.egress().rules().size(),
                            digest,
                            policy.warnings());
            policy.warnings().forEach(output::warn);
            output.answer(
                    checked,
                    "%s is valid: %s, %s, %s.\n"
                            .formatted(
                                    file == null ? "policy.yaml" : file,
                                    count(checked.hosts(), "git host"),
                                    count(checked.repositories(), "repository rule"),
                                    count(checked.egressRules(), "host rule")));
        }
    }

    private static String count(int number, String what) {
        return number + " " + what + (number == 1 ? "" : "s");
    }

    @Command(
            name = "explain",
            description = "Show whether a request would be allowed, and which rule decides.",
            footer = {
                "",
                "Examples:",
                "  sallyport policy explain https://api.example.com/v1/x --method POST",
                "  sallyport policy explain api.example.com --sandbox work",
                "  sallyport policy explain github.com/acme/app",
                "",
                "Exit status: 0 if it is allowed, 1 if it is denied."
            })
    static final class Explain implements Callable<Integer> {
        @Mixin private Output output;

        @Parameters(
                paramLabel = "URL|HOST|REPO",
                description = "A URL, a host (port 443), or [HOST/]OWNER/NAME.")
        private String asked = "";

        @Option(names = "--method", paramLabel = "METHOD", description = "Default: GET.")
        private String method = "GET";

        @Option(
                names = "--sandbox",
                paramLabel = "NAME",
                completionCandidates = SandboxNames.class,
                description = "Use the rules of this sandbox instead of the policy file.")
        private @Nullable String sandbox;

        @Option(
                names = "--file",
                paramLabel = "PATH",
                description = "Use this policy file instead of the one in SALLYPORT_HOME.")
        private @Nullable Path file;

        @Override
        public Integer call() throws IOException, ControlException, CliException {
            try {
                Explanation explanation =
                        sandbox == null
                                ? Explanation.of(asked, method, load(output, file))
                                : Explanation.of(asked, method, ofSandbox(sandbox));
                output.answer(explanation, explanation.text());
                return (explanation.allowed() ? ExitCode.OK : ExitCode.FAILED).status();
            } catch (MalformedNameException e) {
                throw ExitCode.USAGE.because(
                        "malformed",
                        "Not a URL, host or repository: " + e.getMessage() + ".",
                        "Give a URL, a host name or [HOST/]OWNER/NAME.");
            }
        }

        private Policy ofSandbox(String name)
                throws IOException, ControlException, CliException, MalformedNameException {
            Api.SandboxView view;
            try (ControlClient warden = output.wardens().connectOrStart(output)) {
                view = warden.sandbox(name);
            }
            return new Policy(
                    NOBODY,
                    Parsing.all(view.repos(), GrantText::toGrant),
                    new Egress(Parsing.all(view.egress(), EgressText::toRule), view.learn()));
        }
    }

    @Command(
            name = "apply",
            description = "Apply the changed policy file.",
            footer = {
                "",
                "Examples:",
                "  sallyport policy apply --dry-run",
                "  sallyport policy apply --running",
                "",
                "New sandboxes use the changed rules. Existing ones lose what the rules no",
                "longer allow, and get more only with --running. The daemon also notices a",
                "changed file by itself.",
                "",
                "Exit status: 0 if the file is in force, 77 with file and line if it has errors."
            })
    static final class Apply extends WardenCommand {
        @Option(
                names = "--running",
                description = "Also give existing sandboxes what the rules now allow them.")
        private boolean running;

        /// The digest of no file.
        private static final String ABSENT = "absent";

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
            text.append(state(applied));
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

        private String state(Api.PolicyApplied applied) {
            if (applied.digest().equals(ABSENT) && !applied.changed()) {
                String nothing = applied.sandboxes().isEmpty() ? " Nothing changed." : "";
                return "There is no policy file." + nothing + "\n";
            }
            String now = dryRun && applied.changed() ? "would be in force: " : "in force: ";
            return now + applied.digest() + (applied.changed() ? "\n" : " (as before)\n");
        }

        private static void lines(StringBuilder text, String before, List<String> lines) {
            lines.forEach(line -> text.append(before).append(line).append('\n'));
        }
    }

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
    static final class Suggest extends SucceedingCommand {
        private static final String LEARNED = "learned";

        @Parameters(
                paramLabel = "NAME|SESSION",
                description = "Name of the sandbox, or its session id if it was removed.")
        private String name = "";

        /// The stable document of `--json`.
        record Suggested(String session, String yaml) {}

        @Override
        void act() throws IOException, ControlException, CliException {
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

    /// Carries the hosts of the policy file to programs at somebody's perimeter.
    @Command(
            name = "export",
            description = "Export the allowed hosts as configuration for other programs.",
            footer = {
                "",
                "Example:",
                "  sallyport policy export --format dnsmasq --output perimeter \\",
                "    --resolver 192.0.2.53",
                "",
                "SHA256SUMS is written beside the files. Check them with:",
                "  sha256sum --check SHA256SUMS"
            })
    static final class Export extends SucceedingCommand {
        @Option(
                names = "--format",
                required = true,
                paramLabel = "FORMAT",
                description = "dnsmasq, tinyproxy or nftables.")
        private String format = "";

        @Option(
                names = "--output",
                required = true,
                paramLabel = "DIR",
                description = "Output directory; created if missing.")
        private Path directory = Path.of("");

        @Option(
                names = "--resolver",
                paramLabel = "ADDRESS[#PORT]",
                description = "dnsmasq only: resolver for the allowed names. Default: 127.0.0.53.")
        private String resolver = "127.0.0.53";

        @Option(
                names = "--file",
                paramLabel = "PATH",
                description = "Use this policy file instead of the one in SALLYPORT_HOME.")
        private @Nullable Path file;

        /// The stable document of `--json`.
        record Written(List<String> files) {}

        @Override
        void act() throws IOException, CliException {
            Perimeter.Format chosen =
                    Word.of(Perimeter.Format.class, format)
                            .orElseThrow(
                                    () ->
                                            usage(
                                                    "Unknown format.",
                                                    "Use dnsmasq, tinyproxy or nftables."));
            if (!resolver.matches("[0-9a-fA-F.:]{2,45}(#[1-9][0-9]{0,4})?")) {
                throw usage("The resolver is not an address.", "Write it as 192.0.2.53#53.");
            }
            Path target =
                    output.surroundings()
                            .directory()
                            .resolve(directory)
                            .toAbsolutePath()
                            .normalize();
            Map<String, String> files =
                    new Perimeter(PolicyCommands.load(output, file).egress())
                            .files(chosen, target, resolver);
            Files.createDirectories(target);
            for (Map.Entry<String, String> entry : files.entrySet()) {
                Files.writeString(target.resolve(entry.getKey()), entry.getValue());
            }
            List<String> names = List.copyOf(files.keySet());
            output.answer(new Written(names), String.join("\n", names) + "\n");
        }

        private static CliException usage(String problem, String remedy) {
            return ExitCode.USAGE.because("usage", problem, remedy);
        }
    }
}

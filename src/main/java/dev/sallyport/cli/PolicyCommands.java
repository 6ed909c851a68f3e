package dev.sallyport.cli;

import dev.sallyport.audit.AuditLine;
import dev.sallyport.audit.AuditReader;
import dev.sallyport.config.EgressText;
import dev.sallyport.config.GitRule;
import dev.sallyport.config.GrantText;
import dev.sallyport.config.Perimeter;
import dev.sallyport.config.PolicyFile;
import dev.sallyport.config.Suggestion;
import dev.sallyport.control.Api;
import dev.sallyport.control.ControlClient;
import dev.sallyport.control.ControlException;
import dev.sallyport.policy.Egress;
import dev.sallyport.policy.EgressRule;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.RepoGrant;
import dev.sallyport.policy.SessionId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// What can be asked about the policy. Most of it needs no daemon: the file is read as the warden
/// would read it.
final class PolicyCommands {
    private static final SessionId NOBODY = new SessionId("0".repeat(16));

    private PolicyCommands() {}

    private static PolicyFile load(Wardens wardens, @Nullable Path file) throws IOException {
        return PolicyFile.load(file == null ? wardens.home().policyFile() : file.toAbsolutePath());
    }

    @Command(
            name = "check",
            description = "Read the policy file as the daemons would, and say what is wrong in it.",
            footer = {"", "Status 0 when it can be used, 77 with file and line when it cannot."})
    static final class Check implements Callable<Integer> {
        @Mixin private final Output output;
        private final Wardens wardens;

        @Parameters(
                arity = "0..1",
                paramLabel = "FILE",
                description = "Another file than the one in SALLYPORT_HOME.")
        private @Nullable Path file;

        Check(Output output, Wardens wardens) {
            this.output = output;
            this.wardens = wardens;
        }

        /// The stable document of `--json`.
        record Checked(int hosts, int repositories, int egressRules, String egressDigest) {}

        @Override
        public Integer call() throws IOException {
            PolicyFile policy = load(wardens, file);
            String digest = new Policy(NOBODY, List.of(), policy.egress()).digest();
            Checked checked =
                    new Checked(
                            policy.hosts().size(),
                            policy.git().size(),
                            policy.egress().rules().size(),
                            digest);
            output.answer(
                    checked,
                    "good: %d git hosts, %d rules for repositories, %d rules for other hosts (%s)\n"
                            .formatted(
                                    checked.hosts(),
                                    checked.repositories(),
                                    checked.egressRules(),
                                    digest));
            return ExitCode.OK.status();
        }
    }

    @Command(
            name = "explain",
            description = "Say whether something would be allowed, and which rule decides.",
            footer = {
                "",
                "Examples:",
                "  sallyport policy explain https://api.example.com/v1/x --method POST",
                "  sallyport policy explain api.example.com --sandbox work",
                "  sallyport policy explain github.com/acme/app",
                "",
                "Status 0 when it is allowed, 1 when it is not."
            })
    static final class Explain implements Callable<Integer> {
        @Mixin private final Output output;
        private final Wardens wardens;

        @Parameters(
                paramLabel = "URL|HOST|REPO",
                description = "A URL, a host (port 443), or [HOST/]OWNER/NAME.")
        private String asked = "";

        @Option(names = "--method", paramLabel = "METHOD", description = "Default: GET.")
        private String method = "GET";

        @Option(
                names = "--sandbox",
                paramLabel = "NAME",
                description = "Ask what this sandbox may do, instead of the policy file.")
        private @Nullable String sandbox;

        @Option(
                names = "--file",
                paramLabel = "PATH",
                description = "Another policy file than the one in SALLYPORT_HOME.")
        private @Nullable Path file;

        Explain(Output output, Wardens wardens) {
            this.output = output;
            this.wardens = wardens;
        }

        @Override
        public Integer call() throws IOException, ControlException, CliException {
            try {
                Policy policy = sandbox == null ? filed() : ofSandbox(sandbox);
                Explanation explanation = Explanation.of(asked, method, policy);
                output.answer(explanation, explanation.text());
                return (explanation.allowed() ? ExitCode.OK : ExitCode.FAILED).status();
            } catch (MalformedNameException e) {
                throw new CliException(
                        ExitCode.USAGE,
                        "malformed",
                        "This cannot be asked about: " + e.getMessage() + ".",
                        "Give a URL, a host name or [HOST/]OWNER/NAME.");
            }
        }

        private Policy filed() throws IOException {
            PolicyFile policy = load(wardens, file);
            List<RepoGrant> grants = policy.git().stream().map(GitRule::grant).toList();
            return new Policy(NOBODY, grants, policy.egress());
        }

        private Policy ofSandbox(String name)
                throws IOException, ControlException, CliException, MalformedNameException {
            Api.SandboxView view;
            try (ControlClient warden = wardens.connectOrStart(output)) {
                view = warden.sandbox(name);
            }
            List<RepoGrant> grants = new ArrayList<>();
            for (GrantText grant : view.repos()) {
                grants.add(grant.toGrant());
            }
            List<EgressRule> rules = new ArrayList<>();
            for (EgressText rule : view.egress()) {
                rules.add(rule.toRule());
            }
            return new Policy(NOBODY, grants, new Egress(rules, view.learn()));
        }
    }

    @Command(
            name = "export",
            description = "Write the allowed hosts as configuration of other programs.",
            footer = {
                "",
                "Example:",
                "  sallyport policy export --format dnsmasq --output perimeter --resolver 192.0.2.53",
                "",
                "SHA256SUMS is written beside the files; check with: sha256sum --check SHA256SUMS"
            })
    static final class Export implements Callable<Integer> {
        @Mixin private final Output output;
        private final Wardens wardens;

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
                description = "Directory for the files; made when it is not there.")
        private Path directory = Path.of("");

        @Option(
                names = "--resolver",
                paramLabel = "ADDRESS[#PORT]",
                description = "dnsmasq: who answers for allowed names. Default: 127.0.0.53.")
        private String resolver = "127.0.0.53";

        @Option(
                names = "--file",
                paramLabel = "PATH",
                description = "Another policy file than the one in SALLYPORT_HOME.")
        private @Nullable Path file;

        Export(Output output, Wardens wardens) {
            this.output = output;
            this.wardens = wardens;
        }

        /// The stable document of `--json`.
        record Written(List<String> files) {}

        @Override
        public Integer call() throws IOException, CliException {
            Perimeter.Format chosen =
                    Perimeter.Format.of(format)
                            .orElseThrow(
                                    () ->
                                            usage(
                                                    "There is no such format.",
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
                    new Perimeter(load(wardens, file).egress()).files(chosen, target, resolver);
            Files.createDirectories(target);
            for (Map.Entry<String, String> entry : files.entrySet()) {
                Files.writeString(target.resolve(entry.getKey()), entry.getValue());
            }
            List<String> names = List.copyOf(files.keySet());
            output.answer(new Written(names), String.join("\n", names) + "\n");
            return ExitCode.OK.status();
        }

        private static CliException usage(String problem, String remedy) {
            return new CliException(ExitCode.USAGE, "usage", problem, remedy);
        }
    }

    @Command(
            name = "suggest",
            description = "Turn what a learning sandbox did into rules for the policy file.",
            footer = {
                "",
                "Example:",
                "  sallyport policy suggest work >> ~/.sallyport/policy.yaml",
                "",
                "Read it before you use it: what untrusted code did is not what it should do."
            })
    static final class Suggest implements Callable<Integer> {
        private static final String LEARNED = "learned";

        @Mixin private final Output output;
        private final Wardens wardens;

        @Parameters(
                paramLabel = "NAME|SESSION",
                description = "Name of the sandbox, or the id of its session when it is gone.")
        private String name = "";

        Suggest(Output output, Wardens wardens) {
            this.output = output;
            this.wardens = wardens;
        }

        /// The stable document of `--json`.
        record Suggested(String session, String yaml) {}

        @Override
        public Integer call() throws IOException, ControlException, CliException {
            String session = session();
            Suggestion suggestion = new Suggestion();
            AuditReader.read(
                    wardens.home().auditLog(),
                    new AuditReader.Filter(
                            Optional.of(session), Optional.of(LEARNED), OptionalInt.empty()),
                    line -> add(line, suggestion));
            String yaml =
                    "# Learned by the session "
                            + session
                            + (suggestion.isEmpty() ? ": nothing was let through.\n" : ".\n")
                            + (suggestion.isEmpty() ? "" : suggestion.yaml());
            output.answer(new Suggested(session, yaml), yaml);
            return ExitCode.OK.status();
        }

        private String session() throws IOException, ControlException, CliException {
            if (name.matches("[0-9a-f]{16}")) {
                return name;
            }
            try (ControlClient warden = wardens.connectOrStart(output)) {
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
}

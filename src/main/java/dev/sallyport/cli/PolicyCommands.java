package dev.sallyport.cli;

import dev.sallyport.config.EgressText;
import dev.sallyport.config.GrantText;
import dev.sallyport.config.PolicyFile;
import dev.sallyport.control.Api;
import dev.sallyport.control.ControlClient;
import dev.sallyport.control.ControlException;
import dev.sallyport.policy.Egress;
import dev.sallyport.policy.EgressRule;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.RepoGrant;
import dev.sallyport.policy.SessionId;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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
            PolicyApplyCommand.class,
            PolicyCommands.Explain.class,
            TrustCommands.ListPresets.class,
            TrustCommands.Trust.class,
            PolicyExportCommand.class,
            PolicySuggestCommand.class
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
    static final class Check implements Callable<Integer> {
        @Mixin private Output output;

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
        public Integer call() throws IOException, CliException {
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
                throw new CliException(
                        ExitCode.USAGE,
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
}

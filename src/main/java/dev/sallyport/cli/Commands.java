package dev.sallyport.cli;

import dev.sallyport.control.ControlClient;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help;

/// The tree of commands.
final class Commands {
    /// Those that wait for a sandbox.
    private static final Set<String> WAITING = Set.of("run", "new", "exec");

    private Commands() {}

    /// Here and in commands that should start fast, picocli need not look for methods that are
    /// commands.
    @Command(
            name = "sallyport",
            addMethodSubcommands = false,
            description = {
                "Run untrusted code without giving it your credentials.",
                "A sandbox has no network and no secrets. All its access goes through a gateway."
            },
            footer = {
                "",
                "Examples:",
                "  sallyport demo                                See it work on this machine",
                "  sallyport secret set github < token.txt       Store a credential",
                "  sallyport run claude                          Your agent, in this project",
                "  sallyport run --repo acme/app -- bash         A shell in a sandbox",
                "",
                "State is kept in SALLYPORT_HOME, by default ~/.sallyport.",
                ""
            })
    static final class Root {}

    /// Only the command that is named is made, because to make all of them takes longer than most
    /// of them run. Whatever is no command's name gets the whole tree, which knows how to say so.
    static int execute(Surroundings surroundings, String... arguments) {
        Map<String, Supplier<Object>> all = all(surroundings);
        String first = arguments.length == 0 ? "" : arguments[0];
        if (WAITING.contains(first)) {
            ControlClient.getReady();
        }
        Supplier<Object> named = all.get(first.equals("--version") ? "version" : first);
        return tree(surroundings, named == null ? all.values() : List.of(named)).execute(arguments);
    }

    static CommandLine tree(Surroundings surroundings) {
        return tree(surroundings, all(surroundings).values());
    }

    private static CommandLine tree(
            Surroundings surroundings, Collection<Supplier<Object>> commands) {
        CommandLine root = new CommandLine(new Root());
        commands.forEach(command -> root.addSubcommand(command.get()));
        return configured(root, surroundings);
    }

    /// In the order in which help shows them.
    private static Map<String, Supplier<Object>> all(Surroundings surroundings) {
        Wardens wardens = new Wardens(surroundings);
        Map<String, Supplier<Object>> all = new LinkedHashMap<>();
        all.put("run", () -> stopping(new RunCommand(new Output(surroundings), wardens)));
        all.put("new", () -> new NewCommand(new Output(surroundings), wardens));
        all.put("exec", () -> stopping(new ExecCommand(new Output(surroundings), wardens)));
        all.put("init", () -> new InitCommand(new Output(surroundings), wardens));
        all.put("list", () -> new SandboxCommands.ListAll(new Output(surroundings), wardens));
        all.put("show", () -> new SandboxCommands.Show(new Output(surroundings), wardens));
        all.put("start", () -> new SandboxCommands.Start(new Output(surroundings), wardens));
        all.put("stop", () -> new SandboxCommands.Stop(new Output(surroundings), wardens));
        all.put("extend", () -> new LifeCommands.Extend(new Output(surroundings), wardens));
        all.put("end", () -> new LifeCommands.End(new Output(surroundings), wardens));
        all.put("ports", () -> new PortsCommand(new Output(surroundings), wardens));
        all.put("allow", () -> new SandboxCommands.Allow(new Output(surroundings), wardens));
        all.put("denials", () -> new DenialsCommand(new Output(surroundings), wardens));
        all.put("approvals", () -> approvals(surroundings, wardens));
        all.put("approve", () -> new ApprovalsCommand.Approve(new Output(surroundings), wardens));
        all.put("deny", () -> new ApprovalsCommand.Deny(new Output(surroundings), wardens));
        all.put("watch", () -> new WatchCommand(new Output(surroundings), wardens));
        all.put("ui", () -> new UiCommand(new Output(surroundings), wardens));
        all.put("destroy", () -> new SandboxCommands.Destroy(new Output(surroundings), wardens));
        all.put("homes", () -> homes(surroundings, wardens));
        all.put("agents", () -> new AgentsCommand(new Output(surroundings), wardens));
        all.put("up", () -> new DaemonCommands.Up(new Output(surroundings), wardens));
        all.put("down", () -> new DaemonCommands.Down(new Output(surroundings), wardens));
        all.put("status", () -> new DaemonCommands.Status(new Output(surroundings), wardens));
        all.put("metrics", () -> new MetricsCommand(new Output(surroundings), wardens));
        all.put("doctor", () -> new DoctorCommand(new Output(surroundings), wardens));
        all.put("verify", () -> new VerifyCommand(new Output(surroundings), wardens));
        all.put("gateway", () -> gateway(surroundings, wardens));
        all.put("enroll", () -> new EnrollCommand(new Output(surroundings), wardens));
        all.put("k8s", () -> k8s(surroundings));
        all.put("secret", () -> secret(surroundings, wardens));
        all.put("policy", () -> policy(surroundings, wardens));
        all.put("audit", () -> audit(surroundings, wardens));
        all.put("demo", () -> new DemoCommand(new Output(surroundings)));
        all.put("completion", () -> new CompletionCommand(new Output(surroundings)));
        all.put("version", () -> new VersionCommand(new Output(surroundings)));
        return all;
    }

    private static CommandLine approvals(Surroundings surroundings, Wardens wardens) {
        return new CommandLine(new ApprovalsCommand(new Output(surroundings), wardens))
                .addSubcommand(new ApprovalsCommand.Show(new Output(surroundings), wardens));
    }

    private static CommandLine homes(Surroundings surroundings, Wardens wardens) {
        return new CommandLine(new HomesCommand(new Output(surroundings), wardens))
                .addSubcommand(new HomesCommand.Remove(new Output(surroundings), wardens));
    }

    private static CommandLine gateway(Surroundings surroundings, Wardens wardens) {
        return new CommandLine(new GatewayCommands(new Output(surroundings), wardens))
                .addSubcommand(new GatewayCommands.Code(new Output(surroundings), wardens))
                .addSubcommand(new GatewayCommands.Remove(new Output(surroundings), wardens))
                .addSubcommand(new GatewayCommands.Authority(new Output(surroundings), wardens))
                .addSubcommand(new GatewayCommands.Rotate(new Output(surroundings), wardens));
    }

    private static CommandLine k8s(Surroundings surroundings) {
        CommandLine render =
                new CommandLine(new K8sRenderCommand(new Output(surroundings)))
                        .setStopAtPositional(true);
        return new CommandLine(new K8sCommand()).addSubcommand(render);
    }

    private static CommandLine secret(Surroundings surroundings, Wardens wardens) {
        return new CommandLine(new SecretCommand())
                .addSubcommand(new SecretSetCommand(new Output(surroundings), wardens))
                .addSubcommand(new SecretCommands.ListAll(new Output(surroundings), wardens))
                .addSubcommand(new SecretRotateCommand(new Output(surroundings), wardens))
                .addSubcommand(new SecretCommands.Encrypt(new Output(surroundings), wardens))
                .addSubcommand(new SecretCommands.Remove(new Output(surroundings), wardens));
    }

    private static CommandLine policy(Surroundings surroundings, Wardens wardens) {
        return new CommandLine(new PolicyCommand())
                .addSubcommand(new PolicyCommands.Check(new Output(surroundings), wardens))
                .addSubcommand(new PolicyApplyCommand(new Output(surroundings), wardens))
                .addSubcommand(new PolicyCommands.Explain(new Output(surroundings), wardens))
                .addSubcommand(new TrustCommands.ListPresets(new Output(surroundings)))
                .addSubcommand(new TrustCommands.Trust(new Output(surroundings), wardens))
                .addSubcommand(new PolicyExportCommand(new Output(surroundings), wardens))
                .addSubcommand(new PolicySuggestCommand(new Output(surroundings), wardens));
    }

    private static CommandLine audit(Surroundings surroundings, Wardens wardens) {
        return new CommandLine(new AuditCommand())
                .addSubcommand(new AuditCommands.Show(new Output(surroundings), wardens))
                .addSubcommand(new AuditWhyCommand(new Output(surroundings), wardens))
                .addSubcommand(new AuditReportCommand(new Output(surroundings), wardens))
                .addSubcommand(new AuditExportCommand(new Output(surroundings), wardens))
                .addSubcommand(new AuditCommands.Verify(new Output(surroundings), wardens))
                .addSubcommand(new AuditCommands.Begin(new Output(surroundings), wardens));
    }

    /// What follows the first word is the sandboxed command's, whatever it looks like.
    private static CommandLine stopping(PassesStatusOn command) {
        CommandLine stopping = new CommandLine(command).setStopAtPositional(true);
        addFlag(stopping, "As in docker. Not needed: input is passed on.", "-i", "--interactive");
        addFlag(stopping, "As in docker. Not needed: a terminal is passed on.", "-t", "--tty");
        return stopping;
    }

    /// People type `exec -it`. The flag is taken and changes nothing.
    private static void addFlag(CommandLine command, String about, String... names) {
        command.getCommandSpec()
                .addOption(
                        CommandLine.Model.OptionSpec.builder(names)
                                .type(boolean.class)
                                .description(about)
                                .build());
    }

    private static CommandLine configured(CommandLine root, Surroundings surroundings) {
        Failures failures = new Failures(surroundings);
        root.setExecutionStrategy(new LastNamed());
        root.setExecutionExceptionHandler(failures);
        root.setParameterExceptionHandler(failures);
        root.setOut(new PrintWriter(surroundings.out(), true, StandardCharsets.UTF_8));
        root.setErr(new PrintWriter(surroundings.err(), true, StandardCharsets.UTF_8));
        root.setColorScheme(
                Help.defaultColorScheme(
                        surroundings.outInk().enabled() ? Help.Ansi.ON : Help.Ansi.OFF));
        root.setAbbreviatedOptionsAllowed(false);
        root.setAbbreviatedSubcommandsAllowed(false);
        addHelp(root);
        addVersion(root);
        appendExitCodes(root);
        return root;
    }

    /// Everywhere the same two ways to ask for help.
    private static void addHelp(CommandLine command) {
        command.getCommandSpec().mixinStandardHelpOptions(false);
        command.getCommandSpec()
                .addOption(
                        CommandLine.Model.OptionSpec.builder("-h", "--help")
                                .usageHelp(true)
                                .description("Show this help.")
                                .build());
        command.getSubcommands().values().stream().distinct().forEach(Commands::addHelp);
    }

    private static void addVersion(CommandLine root) {
        root.getCommandSpec().version(VersionCommand.text());
        root.getCommandSpec()
                .addOption(
                        CommandLine.Model.OptionSpec.builder("--version")
                                .versionHelp(true)
                                .description("Show the version.")
                                .build());
    }

    private static void appendExitCodes(CommandLine root) {
        List<String> footer =
                new ArrayList<>(List.of(root.getCommandSpec().usageMessage().footer()));
        footer.add("Exit status:");
        footer.addAll(ExitCode.help());
        footer.add("  n    run and exec: the status of the command; 128 + n if signal n ended it");
        root.getCommandSpec().usageMessage().footer(footer.toArray(String[]::new));
    }
}

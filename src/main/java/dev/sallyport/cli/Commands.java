package dev.sallyport.cli;

import dev.sallyport.control.ControlClient;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Parameters;

/// The tree of commands.
final class Commands {
    /// Those that wait for a sandbox.
    private static final Set<String> WAITING = Set.of("run", "new", "exec");

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
    /// of them run. Help, and whatever is no command's name, get the whole tree: they look others
    /// up.
    static int execute(Surroundings surroundings, String... arguments) {
        Map<String, Supplier<Object>> all = all(surroundings);
        String first = arguments.length == 0 ? "" : arguments[0];
        if (WAITING.contains(first)) {
            ControlClient.getReady();
        }
        Supplier<Object> named = all.get(first.equals("--version") ? "version" : first);
        boolean isAll = named == null || first.equals(HelpCommand.NAME);
        return tree(surroundings, isAll ? all.values() : List.of(named)).execute(arguments);
    }

    static CommandLine tree(Surroundings surroundings) {
        return tree(surroundings, all(surroundings).values());
    }

    private static CommandLine tree(
            Surroundings surroundings, Collection<Supplier<Object>> commands) {
        CommandLine root = new CommandLine(new Root(), surroundings::create);
        commands.forEach(command -> root.addSubcommand(command.get()));
        return configured(root, surroundings);
    }

    /// In the order in which help shows them.
    private static Map<String, Supplier<Object>> all(Surroundings surroundings) {
        Map<String, Supplier<Object>> all = new LinkedHashMap<>();
        all.put("run", () -> stopping(new RunCommand(), surroundings));
        all.put("new", NewCommand::new);
        all.put("exec", () -> stopping(new ExecCommand(), surroundings));
        all.put("init", InitCommand::new);
        all.put("list", SandboxCommands.ListAll::new);
        all.put("show", SandboxCommands.Show::new);
        all.put("start", SandboxCommands.Start::new);
        all.put("stop", SandboxCommands.Stop::new);
        all.put("extend", SandboxCommands.Extend::new);
        all.put("end", SandboxCommands.End::new);
        all.put("ports", SandboxCommands.Ports::new);
        all.put("allow", SandboxCommands.Allow::new);
        all.put("denials", DenialsCommand::new);
        all.put("approvals", ApprovalsCommand::new);
        all.put("approve", ApprovalsCommand.Approve::new);
        all.put("deny", ApprovalsCommand.Deny::new);
        all.put("watch", WatchCommand::new);
        all.put("ui", UiCommand::new);
        all.put("destroy", SandboxCommands.Destroy::new);
        all.put("homes", HomesCommand::new);
        all.put("agents", AgentsCommand::new);
        all.put("up", DaemonCommands.Up::new);
        all.put("down", DaemonCommands.Down::new);
        all.put("status", DaemonCommands.Status::new);
        all.put("metrics", DaemonCommands.Metrics::new);
        all.put("doctor", DoctorCommand::new);
        all.put("verify", VerifyCommand::new);
        all.put("gateway", GatewayCommands::new);
        all.put("enroll", GatewayCommands.Enroll::new);
        all.put("k8s", () -> k8s(surroundings));
        all.put("secret", SecretCommands::new);
        all.put("policy", PolicyCommands::new);
        all.put("audit", AuditCommands::new);
        all.put("demo", DemoCommand::new);
        all.put("completion", Completion::new);
        all.put(HelpCommand.NAME, HelpCommand::new);
        all.put("version", DaemonCommands.ShowVersion::new);
        return all;
    }

    private static CommandLine k8s(Surroundings surroundings) {
        CommandLine render =
                new CommandLine(new K8sRenderCommand(), surroundings::create)
                        .setStopAtPositional(true);
        return new CommandLine(new Kubernetes()).addSubcommand(render);
    }

    /// What follows the first word is the sandboxed command's, whatever it looks like.
    private static CommandLine stopping(PassesStatusOn command, Surroundings surroundings) {
        CommandLine stopping =
                new CommandLine(command, surroundings::create).setStopAtPositional(true);
        addFlag(stopping, "As in docker. Not needed: input is passed on.", "-i", "--interactive");
        addFlag(stopping, "As in docker. Not needed: a terminal is passed on.", "-t", "--tty");
        return stopping;
    }

    /// People type `exec -it`. The flag is taken and changes nothing.
    private static void addFlag(CommandLine command, String about, String... names) {
        add(command, OptionSpec.builder(names).type(boolean.class), about);
    }

    private static void add(CommandLine command, OptionSpec.Builder option, String about) {
        command.getCommandSpec().addOption(option.description(about).build());
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
        add(command, OptionSpec.builder("-h", "--help").usageHelp(true), "Show this help.");
        command.getSubcommands().values().stream().distinct().forEach(Commands::addHelp);
    }

    private static void addVersion(CommandLine root) {
        root.getCommandSpec().version(DaemonCommands.ShowVersion.text());
        add(root, OptionSpec.builder("--version").versionHelp(true), "Show the version.");
    }

    private static void appendExitCodes(CommandLine root) {
        List<String> footer =
                new ArrayList<>(List.of(root.getCommandSpec().usageMessage().footer()));
        footer.add("Exit status:");
        footer.addAll(ExitCode.help());
        footer.add("  n    run and exec: the status of the command; 128 + n if signal n ended it");
        root.getCommandSpec().usageMessage().footer(footer.toArray(String[]::new));
    }

    /// Runs the command that was named last, or shows the help of a group of commands that was
    /// named alone.
    static final class LastNamed implements CommandLine.IExecutionStrategy {
        private final CommandLine.IExecutionStrategy last = new CommandLine.RunLast();

        @Override
        public int execute(CommandLine.ParseResult parsed) {
            CommandLine.ParseResult named = parsed;
            while (named.hasSubcommand()) {
                named = named.subcommand();
            }
            CommandLine command = named.commandSpec().commandLine();
            if (command.getCommand() instanceof Callable
                    || named.isUsageHelpRequested()
                    || named.isVersionHelpRequested()) {
                return last.execute(parsed);
            }
            command.usage(command.getErr());
            return ExitCode.USAGE.status();
        }
    }

    /// The group of commands about Kubernetes.
    @Command(
            name = "k8s",
            description = "Run sandboxes as pods of Kubernetes.",
            footer = {
                "",
                "Examples:",
                "  sallyport k8s render --gateway 10.96.0.20:8443 --image node:24 \\",
                "    --repo acme/app -- npm test",
                "  sallyport k8s render ... | kubectl apply -f -",
                "",
                "See docs/kubernetes.md."
            })
    static final class Kubernetes {}

    /// Prints a script that completes commands, options and names of sandboxes in a shell.
    @Command(
            name = "completion",
            description = "Print a completion script for a shell.",
            footer = {
                "",
                "Examples:",
                "  source <(sallyport completion bash)",
                "  echo 'source <(sallyport completion zsh)' >> ~/.zshrc",
                "  sallyport completion fish > ~/.config/fish/completions/sallyport.fish"
            })
    static final class Completion extends SucceedingCommand {
        enum Shell {
            bash,
            zsh,
            fish
        }

        @Parameters(paramLabel = "bash|zsh|fish", description = "The shell.")
        private Shell shell = Shell.bash;

        /// The stable document of `--json`.
        record Script(String shell, String script) {}

        @Override
        void act() throws IOException {
            String script = script(shell);
            output.answer(new Script(shell.name(), script), script);
        }

        /// See [Completions] for who answers what it asks.
        static String script(Shell shell) throws IOException {
            try (InputStream in =
                    Completion.class.getResourceAsStream("completion." + shell.name())) {
                return new String(
                        Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
            }
        }
    }
}

package dev.sallyport.cli;

import dev.sallyport.control.Api;
import dev.sallyport.control.ControlClient;
import dev.sallyport.control.ControlException;
import dev.sallyport.sandbox.Job;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// A command in a sandbox that is already there.
@Command(
        name = "exec",
        addMethodSubcommands = false,
        description = "Run a command in a running sandbox.",
        footer = {
            "",
            "Examples:",
            "  sallyport exec work -- bash",
            "  sallyport exec --env CI=true work -- make test",
            "",
            "The exit status is that of the command (128 + n if signal n ended it), or 125",
            "if Sallyport itself failed."
        })
final class ExecCommand implements Callable<Integer>, PassesStatusOn {
    @Mixin private Output output;
    @Mixin private final TriggerOptions triggers = new TriggerOptions();

    @Option(
            names = "--env",
            paramLabel = "NAME[=VALUE]",
            description =
                    "Set an environment variable; without a value, pass on yours. Repeatable.")
    private List<String> variables = new ArrayList<>();

    @Option(
            names = "--directory",
            paramLabel = "DIR",
            description = "Working directory. Default: the workspace.")
    private @Nullable String directory;

    @Mixin private SandboxName sandbox;

    @Parameters(
            index = "1..*",
            arity = "1..*",
            paramLabel = "COMMAND",
            description = "Command and its arguments, after --.")
    private List<String> command = new ArrayList<>();

    @Override
    public Integer call() throws IOException, ControlException, CliException, InterruptedException {
        Api.ExecCommand typed = typed();
        // As long as the command runs: when we die, the warden ends what is left of it.
        try (ControlClient warden = output.wardens().connectOrStart(output)) {
            Api.SandboxView view = warden.sandbox(sandbox.name());
            Api.ExecCommand request = withProfile(typed, view, warden);
            TriggerWatch watch = triggers.watch(output, view);
            Api.ExecAnswer plan = warden.exec(sandbox.name(), request);
            if (!output.isJson()) {
                plan.notices().forEach(notice -> output.warn(sandbox.name() + ": " + notice));
            }
            try {
                Foreground.End end =
                        Foreground.run(
                                output.surroundings(), plan, request.tty(), Foreground.entering());
                AgentStart.explain(
                        output, Optional.empty(), typed.command().getFirst(), end.status());
                if (end.byItself()) {
                    endedByItself(warden);
                }
                return end.status();
            } finally {
                watch.end();
            }
        }
    }

    private Api.ExecCommand typed() throws CliException {
        List<String> marked = new ArrayList<>(variables);
        marked.add(Job.VARIABLE + "=" + UUID.randomUUID());
        return new CommandRequest(output, withoutMarker(), marked, Map.of())
                .toExec(Optional.ofNullable(directory));
    }

    /// What the person typed replaces what the agent's profile says.
    private Api.ExecCommand withProfile(
            Api.ExecCommand typed, Api.SandboxView view, ControlClient warden)
            throws IOException, ControlException, CliException {
        Optional<AgentStart> agent =
                AgentStart.in(view, output, warden, typed.command().getFirst());
        if (agent.isEmpty()) {
            return typed;
        }
        Map<String, String> environment = new TreeMap<>(agent.get().environment());
        environment.putAll(typed.environment());
        return new Api.ExecCommand(
                agent.get().command(typed.command()), typed.tty(), typed.directory(), environment);
    }

    /// What it left in the background is meant to stay. A warden that was restarted meanwhile knows
    /// of no job.
    private static void endedByItself(ControlClient warden) {
        try {
            warden.status();
        } catch (ControlException e) {
            System.getLogger(ExecCommand.class.getName())
                    .log(System.Logger.Level.DEBUG, "the daemon was restarted", e);
        }
    }

    /// `exec NAME -- COMMAND`: after the name the marker is an ordinary word to the parser.
    private List<String> withoutMarker() {
        return command.getFirst().equals("--") ? command.subList(1, command.size()) : command;
    }
}

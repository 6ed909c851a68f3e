package dev.sallyport.cli;

import dev.sallyport.config.AgentProfile;
import dev.sallyport.confine.ConfinedStart;
import dev.sallyport.control.Api;
import dev.sallyport.control.ControlException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// A sandbox for one command, in the foreground, gone afterwards.
@Command(
        name = "run",
        addMethodSubcommands = false,
        description = "Run a command in a new sandbox and remove it afterwards.",
        footer = {
            "",
            "Examples:",
            "  sallyport run claude",
            "  sallyport run claude --dangerously-skip-permissions",
            "  sallyport run -- bash",
            "  sallyport run --repo acme/app -- make test",
            "  sallyport run --repo acme/app --repo acme/lib:read -- make test",
            "  sallyport run --clone acme/app -- make test",
            "  sallyport run --runtime docker --image node:24 --no-repo -- npm test",
            "",
            "The exit status is that of the command (128 + n if signal n ended it), or 125",
            "if Sallyport itself failed. With --json, messages from Sallyport go to standard",
            "error as one JSON document per line; standard output is that of the command."
        })
final class RunCommand implements Callable<Integer>, PassesStatusOn {
    @Mixin private Output output;
    @Mixin private final SandboxOptions options = new SandboxOptions();
    @Mixin private final TriggerOptions triggers = new TriggerOptions();

    @Option(
            names = "--env",
            paramLabel = "NAME[=VALUE]",
            description =
                    "Set an environment variable; without a value, pass on yours. Repeatable.")
    private List<String> variables = new ArrayList<>();

    @Option(
            names = "--no-profile",
            description = "Run the command as it is, even if it is the name of a known agent.")
    private boolean noProfile;

    @Parameters(
            arity = "1..*",
            paramLabel = "COMMAND",
            description = "Command and its arguments, or the name of an agent and its arguments.")
    private List<String> command = new ArrayList<>();

    @Override
    public Integer call() throws IOException, ControlException, CliException, InterruptedException {
        // While the daemon makes the sandbox.
        ConfinedStart entering = Foreground.entering();
        Optional<AgentStart> agent = agent();
        Api.ExecCommand exec = exec(agent).toExec(Optional.empty());
        Api.CreateSandbox request = options.request(output, true, agent);
        if (options.cloned().isPresent()) {
            return new CloneRun(output, triggers, options.cloned().get(), entering)
                    .run(request, exec, agent);
        }
        TriggerWatch watch =
                triggers.watch(output, Path.of(request.workspace()), request.mounts().extra());
        try (Lease lease = Lease.take(output, request)) {
            Api.ExecAnswer plan = lease.exec(exec);
            int status = Foreground.run(output.surroundings(), plan, exec.tty(), entering).status();
            AgentStart.explain(output, agent, command.getFirst(), status);
            remove(output, lease);
            return status;
        } finally {
            watch.end();
        }
    }

    private Optional<AgentStart> agent() throws IOException, ControlException, CliException {
        Optional<AgentProfile> profile =
                noProfile
                        ? Optional.empty()
                        : AgentStart.profiles(output.surroundings()).find(command.getFirst());
        return profile.isEmpty()
                ? Optional.empty()
                : Optional.of(AgentStart.of(output, profile.get(), options));
    }

    private CommandRequest exec(Optional<AgentStart> agent) {
        return new CommandRequest(
                output,
                agent.map(start -> start.command(command)).orElse(command),
                variables,
                agent.map(AgentStart::environment).orElse(Map.of()));
    }

    /// The command's status is passed on whether this works or not.
    static void remove(Output output, Lease lease) {
        try (Waiting _ = output.waiting("removing the sandbox")) {
            lease.destroy();
        } catch (IOException | ControlException e) {
            Api.Problem why = Failures.problem(e);
            output.problem(
                    new Api.Problem(
                            why.code(),
                            "The sandbox may still exist. " + why.message(),
                            why.remedy()),
                    true);
        }
    }

    /// `run` in a clone: made in the sandbox before the command, looked at in the sandbox after it,
    /// and removed with the sandbox if upstream has all of it.
    record CloneRun(
            Output output,
            TriggerOptions triggers,
            ClonedWorkspace workspace,
            ConfinedStart entering) {
        int run(Api.CreateSandbox request, Api.ExecCommand command, Optional<AgentStart> agent)
                throws IOException, ControlException, CliException, InterruptedException {
            boolean filled = false;
            try (Lease lease = Lease.take(output, request)) {
                try {
                    workspace.fill(lease, lease.made());
                    filled = true;
                } finally {
                    if (!filled) {
                        // What is removed next is not written to meanwhile.
                        RunCommand.remove(output, lease);
                    }
                }
                int status = inside(lease, request, command);
                AgentStart.explain(output, agent, command.command().getFirst(), status);
                return status;
            } finally {
                if (!filled) {
                    workspace.abandon();
                }
            }
        }

        private int inside(Lease lease, Api.CreateSandbox request, Api.ExecCommand command)
                throws IOException, ControlException, InterruptedException {
            Path directory = workspace.directory();
            // What the clone itself put there is no change, unless git would run it.
            TriggerWatch watch = triggers.watch(output, List.of(directory)).ofClone();
            List<Path> mounts = TriggerOptions.roots(directory, request.mounts().extra());
            TriggerWatch others = triggers.watch(output, mounts.subList(1, mounts.size()));
            boolean clean = false;
            try {
                Api.ExecAnswer plan = lease.exec(command);
                int status =
                        Foreground.run(output.surroundings(), plan, command.tty(), entering)
                                .status();
                clean = ClonedWorkspace.isClean(lease);
                return status;
            } finally {
                if (clean) {
                    Path rest = ClonedWorkspace.discard(directory);
                    RunCommand.remove(output, lease);
                    ClonedWorkspace.remove(rest);
                } else {
                    RunCommand.remove(output, lease);
                    watch.end();
                    ClonedWorkspace.tellKept(output, directory);
                }
                others.end();
            }
        }
    }
}

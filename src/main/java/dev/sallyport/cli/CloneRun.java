package dev.sallyport.cli;

import dev.sallyport.control.Api;
import dev.sallyport.control.ControlException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// `run` in a clone: made in the sandbox before the command, looked at in the sandbox after it, and
/// removed with the sandbox if upstream has all of it.
record CloneRun(Output output, TriggerOptions triggers, ClonedWorkspace workspace) {
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
            int status = Foreground.run(plan, command.tty()).status();
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

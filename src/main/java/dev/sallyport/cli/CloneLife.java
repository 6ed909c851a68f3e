package dev.sallyport.cli;

import dev.sallyport.control.Api;
import dev.sallyport.control.ControlClient;
import dev.sallyport.control.ControlException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/// The beginning and the end of a sandbox that stays and whose workspace may be a clone.
final class CloneLife {
    private record Named(ControlClient warden, String name) implements ClonedWorkspace.Inside {
        @Override
        public Api.Shared share(Api.Share request) throws ControlException {
            return warden.share(name, request);
        }

        @Override
        public Api.ExecAnswer exec(Api.ExecCommand command) throws ControlException {
            return warden.exec(name, command);
        }
    }

    /// Both or nothing.
    static Api.SandboxView create(
            Output output,
            ControlClient warden,
            Api.CreateSandbox request,
            Optional<ClonedWorkspace> workspace)
            throws IOException, ControlException, CliException {
        if (workspace.isEmpty()) {
            return output.wardens().create(output, warden, request);
        }
        ClonedWorkspace clone = workspace.get();
        Optional<String> made = Optional.empty();
        boolean filled = false;
        try {
            Api.SandboxView view = output.wardens().create(output, warden, request);
            made = Optional.of(view.name());
            clone.fill(new Named(warden, view.name()), view);
            filled = true;
            output.notice("The clone is in " + clone.directory());
            return view;
        } finally {
            if (!filled) {
                if (made.isPresent()) {
                    warden.destroy(made.get());
                }
                clone.abandon();
            }
        }
    }

    /// Destroys a sandbox whose workspace is a clone, and the clone if upstream has all of it;
    /// returns whether it is such a sandbox.
    static boolean destroyed(
            Output output, ControlClient warden, TriggerOptions triggers, String name)
            throws IOException, ControlException {
        Optional<Api.SandboxView> found = view(warden, name);
        if (found.isEmpty() || !ClonedWorkspace.isOne(output, Path.of(found.get().workspace()))) {
            return false;
        }
        Path directory = Path.of(found.get().workspace());
        Optional<TriggerWatch> watch = triggers.known(output, found.get());
        if (ClonedWorkspace.isClean(new Named(warden, name))) {
            Path rest = ClonedWorkspace.discard(directory);
            warden.destroy(name);
            ClonedWorkspace.remove(rest);
            if (watch.isPresent()) {
                watch.get().forget();
            }
        } else {
            warden.destroy(name);
            if (watch.isPresent()) {
                watch.get().endForGood();
            }
            ClonedWorkspace.tellKept(output, directory);
        }
        return true;
    }

    private static Optional<Api.SandboxView> view(ControlClient warden, String name) {
        try {
            return Optional.of(warden.sandbox(name));
        } catch (ControlException e) {
            return Optional.empty();
        }
    }
}

package dev.sallyport.cli;

import dev.sallyport.control.Api;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;

/// What is to be done with files that this machine's git would act on and that changed in a
/// sandbox.
final class TriggerOptions {
    @Option(
            names = "--keep-triggers",
            description =
                    "Keep files that changed in the sandbox and would make git on this machine run programs. Default: move them aside.")
    private boolean keep;

    /// Looks now, for a sandbox that is about to be made and ends with its command.
    TriggerWatch watch(Output output, Path workspace, List<Api.MountText> mounts)
            throws IOException {
        return watch(output, roots(workspace, mounts));
    }

    TriggerWatch watch(Output output, List<Path> roots) throws IOException {
        return TriggerWatch.now(output, keep, roots, Optional.empty());
    }

    /// Continues from when somebody last looked at a sandbox that stays; looks now if nobody has.
    TriggerWatch watch(Output output, Api.SandboxView view) throws IOException {
        Optional<TriggerWatch> known = known(output, view);
        return known.isPresent()
                ? known.get()
                : TriggerWatch.now(output, keep, roots(view), Optional.empty());
    }

    /// Empty when nobody has looked before.
    Optional<TriggerWatch> known(Output output, Api.SandboxView view) throws IOException {
        return TriggerWatch.known(output, keep, view.session());
    }

    /// Looks at a sandbox that was just made, for the commands that come.
    ///
    /// @param cloned whether it has filled its workspace already
    static void begin(Output output, Api.SandboxView view, boolean cloned) throws IOException {
        TriggerWatch watch =
                TriggerWatch.now(output, true, roots(view), Optional.of(view.session()));
        (cloned ? watch.ofClone() : watch).remember();
    }

    private static List<Path> roots(Api.SandboxView view) {
        return roots(Path.of(view.workspace()), view.mounts().extra());
    }

    static List<Path> roots(Path workspace, List<Api.MountText> mounts) {
        List<Path> roots = new ArrayList<>(List.of(workspace));
        mounts.stream()
                .filter(Api.MountText::writable)
                .map(mount -> Path.of(mount.path()))
                .forEach(roots::add);
        return roots;
    }
}

package dev.sallyport.warden;

import dev.sallyport.control.Api;
import dev.sallyport.sandbox.HostMount;
import dev.sallyport.sandbox.Installation;
import dev.sallyport.sandbox.MountRules;
import dev.sallyport.sandbox.Mounts;
import dev.sallyport.sandbox.Person;
import dev.sallyport.sandbox.Places;
import dev.sallyport.sandbox.SandboxException;
import dev.sallyport.sandbox.Workspace;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Checks what a sandbox is to see of the host's files, as a person asks for it.
final class MountRequests {
    /// Each costs a mount in every sandbox, and a look at the file system.
    private static final int MOUNTS_MAX = 64;

    private static final int HIDDEN_MAX = 256;
    private static final int REFUSED_MAX = 256;

    static Workspace.Checked check(
            Api.CreateSandbox request, Person person, Installation installation)
            throws OperationException {
        Api.MountRequest mounts = request.mounts();
        if (mounts.extra().size() > MOUNTS_MAX
                || mounts.hide().size() > HIDDEN_MAX
                || mounts.refused().size() > REFUSED_MAX) {
            throw OperationException.invalid(
                    "Too many mounts (limit 64) or hidden files (limit 256).",
                    "Mount a directory that contains several of them.");
        }
        try {
            MountRules rules = new MountRules(person, installation, Places.named(mounts.refused()));
            Path workspace = absolute("workspace", request.workspace());
            Workspace.Checked checked =
                    Workspace.check(
                            workspace,
                            new Mounts(
                                    extra(mounts),
                                    mounts.hide().stream().map(Path::of).toList(),
                                    true),
                            rules,
                            person);
            requireNoLinks(workspace, mounts.extra(), checked);
            return checked;
        } catch (InvalidPathException e) {
            throw OperationException.invalid(
                    "The path contains an invalid character.", "Use another path.");
        } catch (SandboxException e) {
            throw OperationException.refused(e);
        }
    }

    /// Whoever asks has followed the links. One that came since may be a sandbox's (I15).
    private static void requireNoLinks(
            Path workspace, List<Api.MountText> mounts, Workspace.Checked checked)
            throws OperationException {
        if (!workspace.equals(checked.workspace())) {
            throw linked(
                    "workspace", workspace, "If you mean its target, use: " + checked.workspace());
        }
        Set<Path> real = new HashSet<>(Set.of(workspace));
        checked.mounts().extra().forEach(mount -> real.add(mount.path()));
        for (Api.MountText mount : mounts) {
            Path path = Path.of(mount.path());
            if (!real.contains(path)) {
                throw linked("mount", path, "Use the path that it leads to.");
            }
        }
    }

    private static OperationException linked(String what, Path requested, String remedy) {
        return OperationException.invalid(
                "The %s %s goes through a symbolic link.".formatted(what, requested), remedy);
    }

    private static List<HostMount> extra(Api.MountRequest mounts) throws OperationException {
        List<HostMount> extra = new ArrayList<>();
        for (Api.MountText mount : mounts.extra()) {
            Path path = absolute("mount", mount.path());
            extra.add(new HostMount(path, mount.writable(), mount.unsafe()));
        }
        return extra;
    }

    private static Path absolute(String what, String text) throws OperationException {
        Path path = Path.of(text);
        if (!path.isAbsolute()) {
            throw OperationException.invalid(
                    "The " + what + " is not an absolute path.",
                    "Use an absolute path, for example --workspace ~/project.");
        }
        return path;
    }
}

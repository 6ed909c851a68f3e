package dev.sallyport.sandbox;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/// What a sandbox was really given as its workspace and its other mounts.
///
/// A path is checked, and mounted a moment later by another program. Whoever can write a directory
/// above it, as a sandbox can whose own workspace contains this one, could put a symbolic link
/// there in between. The kernel's table of mounts names the directory that was mounted, whatever
/// its path leads to by now.
public final class WorkspaceMount {
    private WorkspaceMount() {}

    /// Refuses a sandbox that has at one of its paths something else than the host has there, or
    /// that sees a file which is to be hidden.
    public static void require(long pid, SandboxSpec spec) throws SandboxException {
        MountTable inside = table(Long.toString(pid));
        MountTable ours = table("self");
        require(inside, ours, spec.workspace());
        for (HostMount mount : spec.mounts().extra()) {
            require(inside, ours, mount.path());
        }
        Optional<MountTable.Location> empty = ours.locate(SandboxFiles.empty(spec));
        for (Path hidden : spec.mounts().hidden()) {
            if (empty.isEmpty() || !inside.at(hidden).equals(empty)) {
                throw replaced("the hidden file " + hidden);
            }
        }
    }

    /// As [#require]; a sandbox that is refused is stopped.
    public static void requireOrStop(SandboxRuntime runtime, SandboxSpec spec, Identity identity)
            throws SandboxException {
        try {
            require(identity.pid(), spec);
        } catch (SandboxException e) {
            runtime.stop(spec, identity);
            throw e;
        }
    }

    /// The same for one path.
    public static void require(long pid, Path path) throws SandboxException {
        require(table(Long.toString(pid)), table("self"), path);
    }

    private static void require(MountTable inside, MountTable ours, Path path)
            throws SandboxException {
        Optional<MountTable.Location> found = inside.at(path);
        if (found.isEmpty() || !found.equals(ours.locate(path))) {
            throw replaced("the path " + path);
        }
    }

    private static MountTable table(String process) throws SandboxException {
        try {
            return MountTable.of(process);
        } catch (IOException e) {
            throw new SandboxException("the mounts of the sandbox cannot be read.", e);
        }
    }

    private static SandboxException replaced(String what) {
        return new SandboxException(
                what
                        + " was replaced while it was mounted. Check what else writes there, and try again.");
    }
}

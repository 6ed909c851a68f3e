package dev.sallyport.sandbox;

import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;

/// What a sandbox sees of the host's files besides its workspace, and what it does not see of its
/// workspace.
///
/// @param extra outer directories before those that lie in them, which is the order to mount in
/// @param hidden files in the workspace that are covered by an empty one
/// @param searched whether all of them were looked at for sockets
public record Mounts(List<HostMount> extra, List<Path> hidden, boolean searched) {
    public static final Mounts NONE = new Mounts(List.of(), List.of(), true);

    public Mounts {
        extra = extra.stream().sorted(Comparator.comparing(HostMount::path)).toList();
        hidden = List.copyOf(hidden);
    }

    /// What must be mounted before the workspace, because the workspace lies in it.
    public List<HostMount> around(Path workspace) {
        return extra.stream().filter(mount -> workspace.startsWith(mount.path())).toList();
    }

    public List<HostMount> besides(Path workspace) {
        return extra.stream().filter(mount -> !workspace.startsWith(mount.path())).toList();
    }
}

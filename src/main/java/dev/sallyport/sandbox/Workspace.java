package dev.sallyport.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// Decides what of the host's files a sandbox is given: a workspace, further mounts, and which
/// files in the workspace are hidden. Where things may lie is for [MountRules].
public final class Workspace {
    private static final int WRITABLE_BY_OTHERS = 2;

    /// What passed.
    ///
    /// @param workspace canonical
    public record Checked(Path workspace, Mounts mounts) {}

    private Workspace() {}

    /// Checks all that a sandbox is to be given, as the person wrote it; hidden files are relative
    /// to the workspace.
    public static Checked check(Path requested, Mounts mounts, MountRules rules, Person person)
            throws SandboxException {
        List<HostMount> extra = new ArrayList<>();
        for (HostMount mount : mounts.extra()) {
            extra.add(mount(mount, rules, person));
        }
        Path workspace = workspace(requested, extra, rules, person);
        List<HostMount> others =
                extra.stream().filter(mount -> !mount.path().equals(workspace)).toList();
        boolean searched = requireNoSockets(workspace, extra);
        List<Path> hidden = new ArrayList<>();
        for (Path file : mounts.hidden()) {
            hidden.add(HiddenFile.check(workspace, file));
        }
        requireOneName(hidden, workspace, others, rules);
        return new Checked(workspace, new Mounts(others, hidden, searched));
    }

    private static void requireOneName(
            List<Path> hidden, Path workspace, List<HostMount> mounts, MountRules rules)
            throws SandboxException {
        List<Path> seen =
                Stream.concat(Stream.of(workspace), mounts.stream().map(HostMount::path)).toList();
        for (Path file : hidden) {
            if (rules.hasOtherName(file, seen)) {
                throw new SandboxException(
                        "the file "
                                + file
                                + " would be hidden at one path and visible at another, because its directory is mounted twice. Remove one of the mounts.");
            }
        }
    }

    private static Path workspace(
            Path requested, List<HostMount> extra, MountRules rules, Person person)
            throws SandboxException {
        Path canonical = canonical(requested);
        if (!Files.isDirectory(canonical)) {
            throw refusal(requested, "it is not a directory");
        }
        boolean insisted = extra.stream().anyMatch(m -> m.unsafe() && m.path().equals(canonical));
        Optional<String> obstacle = rules.obstacle(canonical, insisted);
        if (obstacle.isPresent()) {
            throw refusal(canonical, obstacle.get());
        }
        requireWritable(canonical, person);
        return canonical;
    }

    private static HostMount mount(HostMount requested, MountRules rules, Person person)
            throws SandboxException {
        Path path = canonical(requested.path());
        Optional<String> obstacle =
                rules.obstacle(path, requested.unsafe())
                        .or(() -> throughTheKernel(requested.path()))
                        .or(() -> requested.unsafe() ? Optional.empty() : oddKind(path));
        if (obstacle.isPresent()) {
            throw new SandboxException(
                    "the path %s cannot be mounted: %s. Mount a directory that holds only what the sandbox needs; docs/mounts.md lists what is denied."
                            .formatted(path, obstacle.get()));
        }
        if (requested.writable()) {
            requireWritable(path, person);
        }
        return new HostMount(path, requested.writable(), requested.unsafe());
    }

    /// What `/proc/self` and `/dev/fd` lead to depends on who looks.
    private static Optional<String> throughTheKernel(Path requested) {
        return Places.isKernel(requested)
                ? Optional.of("it goes through a kernel file system")
                : Optional.empty();
    }

    private static Optional<String> oddKind(Path path) {
        return Files.isDirectory(path) || Files.isRegularFile(path)
                ? Optional.empty()
                : Optional.of("it is a socket, a device or a pipe");
    }

    /// Returns whether everything was looked at. A socket that a person insisted on is left alone.
    private static boolean requireNoSockets(Path workspace, List<HostMount> mounts)
            throws SandboxException {
        SocketSearch search = new SocketSearch();
        List<Path> unsafe = mounts.stream().filter(HostMount::unsafe).map(HostMount::path).toList();
        if (!unsafe.contains(workspace)) {
            search.in(workspace);
        }
        for (HostMount mount : mounts) {
            if (!mount.unsafe()) {
                search.in(mount.path());
            }
        }
        Optional<Path> socket =
                search.found().stream()
                        .filter(path -> unsafe.stream().noneMatch(path::startsWith))
                        .findFirst();
        if (socket.isPresent()) {
            throw new SandboxException(
                    "there is a socket or device at %s, which would let the sandbox use a service of this machine. Stop that service or remove the file, then try again. Or continue with --unsafe-mount %s"
                            .formatted(socket.get(), socket.get()));
        }
        return !search.isPartial();
    }

    /// Refuses what was replaced by something else since it was checked.
    public static void requireUnchanged(SandboxSpec spec) throws SandboxException {
        requireUnchanged(spec.workspace());
        for (HostMount mount : spec.mounts().extra()) {
            requireUnchanged(mount.path());
        }
        for (Path hidden : spec.mounts().hidden()) {
            HiddenFile.check(spec.workspace(), hidden);
        }
    }

    private static void requireUnchanged(Path path) throws SandboxException {
        if (!canonical(path).equals(path)) {
            throw refusal(path, "it was moved or replaced after the sandbox was created");
        }
    }

    private static Path canonical(Path requested) throws SandboxException {
        try {
            return requested.toRealPath();
        } catch (IOException e) {
            throw refusal(requested, "it does not exist or cannot be read", e);
        }
    }

    private static void requireWritable(Path path, Person person) throws SandboxException {
        try {
            int owner = (int) Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS);
            int mode = (int) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS);
            if (!writable(person, owner, mode, path)) {
                throw refusal(path, "it belongs to another user and you cannot write to it");
            }
        } catch (IOException e) {
            throw refusal(path, "it cannot be checked", e);
        }
    }

    /// Root in a sandbox has no capabilities, so for root, too, the permission bits decide.
    static boolean writable(Person person, int owner, int mode, Path workspace) {
        return owner == person.uid()
                || (mode & WRITABLE_BY_OTHERS) != 0
                || (!person.isRoot() && Files.isWritable(workspace));
    }

    static SandboxException refusal(Path workspace, String reason) {
        return new SandboxException(sentence(workspace, reason));
    }

    private static SandboxException refusal(Path workspace, String reason, IOException cause) {
        return new SandboxException(sentence(workspace, reason), cause);
    }

    private static String sentence(Path path, String reason) {
        return "the path %s cannot be a workspace or a mount: %s. Choose a project directory of your own, for example with --workspace ~/project."
                .formatted(path, reason);
    }

    /// A file in a workspace that a sandbox is not to read. An empty file of ours is mounted on it,
    /// read-only; a mount cannot be removed, renamed or looked under from inside.
    static final class HiddenFile {
        /// Returns the absolute path of a regular file in the workspace that is named without any
        /// symbolic link: a link could be turned elsewhere, and the file stays where it is.
        static Path check(Path workspace, Path named) throws SandboxException {
            Path path = workspace.resolve(named).normalize();
            try {
                if (!path.startsWith(workspace) || path.equals(workspace)) {
                    throw refusal(path, "it is not in the workspace");
                }
                if (!Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
                    throw refusal(path, "it is not a file");
                }
                if (!path.toRealPath().equals(path)) {
                    throw refusal(path, "there is a symbolic link in its path");
                }
                return path;
            } catch (IOException e) {
                throw new SandboxException("the file " + path + " cannot be hidden.", e);
            }
        }

        private static SandboxException refusal(Path path, String reason) {
            return new SandboxException(
                    "the path %s cannot be hidden: %s. Give the real path of an existing file. If the sandbox hid it before, create an empty file there."
                            .formatted(path, reason));
        }
    }
}

package dev.sallyport.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/// Decides whether a directory may be mounted writable into a sandbox.
///
/// A wrong workspace undoes everything else: it can hold keys, the host's configuration, or sockets
/// of services that act for whoever connects. So every rule looks at the canonical path, and looks
/// in both directions: a directory that *contains* something dangerous exposes it as well.
public final class Workspace {
    private static final int WRITABLE_BY_OTHERS = 2;

    /// Neither these nor anything in them.
    private static final List<Path> SYSTEM =
            paths(
                    "/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/libx32", "/proc",
                    "/run", "/sbin", "/sys", "/usr");

    /// Not these themselves; a project may well lie in them.
    private static final Set<Path> SHARED =
            Set.copyOf(
                    paths(
                            "/home",
                            "/media",
                            "/mnt",
                            "/opt",
                            "/root",
                            "/srv",
                            "/tmp",
                            "/var",
                            "/var/cache",
                            "/var/lib",
                            "/var/log",
                            "/var/spool",
                            "/var/tmp"));

    /// State of container engines and of Sallyport itself.
    private static final List<Path> ENGINES =
            paths("/var/lib/containerd", "/var/lib/docker", "/var/lib/sallyport", "/var/run");

    /// Where people's tools keep what must not leave, relative to the home directory.
    private static final List<String> CREDENTIALS =
            List.of(
                    ".ssh",
                    ".aws",
                    ".azure",
                    ".config/composer",
                    ".config/containers",
                    ".config/doctl",
                    ".config/gcloud",
                    ".config/gh",
                    ".config/git",
                    ".config/github-copilot",
                    ".config/glab-cli",
                    ".config/go",
                    ".config/hub",
                    ".config/op",
                    ".config/pip",
                    ".config/pypoetry",
                    ".config/rclone",
                    ".gnupg",
                    ".kube",
                    ".docker",
                    ".netrc",
                    ".git-credentials",
                    ".npmrc",
                    ".yarnrc.yml",
                    ".pip",
                    ".pypirc",
                    ".m2",
                    ".gradle",
                    ".nuget",
                    ".cargo/credentials",
                    ".cargo/credentials.toml",
                    ".gem",
                    ".gemrc",
                    ".bundle",
                    ".composer",
                    ".oci",
                    ".terraform.d",
                    ".terraformrc",
                    ".vault-token",
                    ".pgpass",
                    ".my.cnf",
                    ".password-store",
                    ".local/share/keyrings",
                    ".claude",
                    ".codex",
                    ".gemini",
                    ".mozilla",
                    ".config/google-chrome",
                    ".config/chromium");

    private Workspace() {}

    /// Returns the canonical path of a directory that may be mounted.
    public static Path check(Path requested, Person person, Installation installation)
            throws SandboxException {
        Path canonical = canonical(requested);
        refuseSystem(canonical);
        refuseHome(canonical, person);
        refuseCredentials(canonical, person);
        refuseOverlap(
                canonical,
                resolved(installation.home()),
                "it overlaps with Sallyport's own state directory");
        requireWritable(canonical, person);
        return canonical;
    }

    /// Refuses a workspace that was replaced by a symbolic link since it was checked.
    public static void requireUnchanged(Path workspace) throws SandboxException {
        if (!canonical(workspace).equals(workspace)) {
            throw refusal(workspace, "it has been moved or replaced since the sandbox was made");
        }
    }

    private static Path canonical(Path requested) throws SandboxException {
        try {
            Path canonical = requested.toRealPath();
            if (Files.isDirectory(canonical)) {
                return canonical;
            }
        } catch (IOException e) {
            throw refusal(requested, "it does not exist or cannot be read", e);
        }
        throw refusal(requested, "it is not a directory");
    }

    private static void refuseSystem(Path workspace) throws SandboxException {
        if (workspace.getNameCount() == 0) {
            throw refusal(workspace, "it is the whole file system");
        }
        if (SHARED.contains(workspace)) {
            throw refusal(workspace, "it belongs to the system or to several people");
        }
        for (Path directory : Stream.concat(SYSTEM.stream(), ENGINES.stream()).toList()) {
            refuseOverlap(workspace, directory, "it overlaps with the system's " + directory);
        }
    }

    private static void refuseHome(Path workspace, Person person) throws SandboxException {
        Path home = resolved(person.home());
        if (home.getNameCount() > 0 && home.startsWith(workspace)) {
            throw refusal(workspace, "it is or contains your home directory, with your keys in it");
        }
    }

    private static void refuseCredentials(Path workspace, Person person) throws SandboxException {
        Path home = resolved(person.home());
        for (String name : CREDENTIALS) {
            Path listed = home.resolve(name);
            String reason = "it overlaps with " + listed + ", where credentials are kept";
            refuseOverlap(workspace, listed, reason);
            refuseOverlap(workspace, resolved(listed), reason);
        }
    }

    private static void refuseOverlap(Path workspace, Path dangerous, String reason)
            throws SandboxException {
        if (workspace.startsWith(dangerous) || dangerous.startsWith(workspace)) {
            throw refusal(workspace, reason);
        }
    }

    private static void requireWritable(Path workspace, Person person) throws SandboxException {
        try {
            int owner = (int) Files.getAttribute(workspace, "unix:uid");
            int mode = (int) Files.getAttribute(workspace, "unix:mode");
            if (!writable(person, owner, mode, workspace)) {
                throw refusal(workspace, "it belongs to another user and is not writable for you");
            }
        } catch (IOException e) {
            throw refusal(workspace, "it cannot be examined", e);
        }
    }

    /// Root in a sandbox has no capabilities, so for root, too, the permission bits decide.
    static boolean writable(Person person, int owner, int mode, Path workspace) {
        return owner == person.uid()
                || (mode & WRITABLE_BY_OTHERS) != 0
                || (!person.isRoot() && Files.isWritable(workspace));
    }

    private static Path resolved(Path path) {
        try {
            return path.toRealPath();
        } catch (IOException e) {
            return path.toAbsolutePath().normalize();
        }
    }

    private static List<Path> paths(String... names) {
        return Stream.of(names).map(Path::of).toList();
    }

    private static SandboxException refusal(Path workspace, String reason) {
        return new SandboxException(sentence(workspace, reason));
    }

    private static SandboxException refusal(Path workspace, String reason, IOException cause) {
        return new SandboxException(sentence(workspace, reason), cause);
    }

    private static String sentence(Path workspace, String reason) {
        return "the directory "
                + workspace
                + " cannot be a workspace: "
                + reason
                + ". Choose a project directory of your own, for example with --workspace ~/project.";
    }
}

package dev.sallyport.sandbox.bubblewrap;

import dev.sallyport.config.SystemCertificates;
import dev.sallyport.sandbox.ControlGroup;
import dev.sallyport.sandbox.HostMount;
import dev.sallyport.sandbox.HostProgram;
import dev.sallyport.sandbox.Installation;
import dev.sallyport.sandbox.Person;
import dev.sallyport.sandbox.Resources;
import dev.sallyport.sandbox.SandboxException;
import dev.sallyport.sandbox.SandboxFiles;
import dev.sallyport.sandbox.SandboxSpec;
import dev.sallyport.sandbox.SandboxTrust;
import dev.sallyport.sandbox.Seeding;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The command line that makes a sandbox.
///
/// `unshare` makes the user and the network namespace and maps the person to root *in* it;
/// bubblewrap then makes the others inside that one user namespace. With bubblewrap's own nested
/// user namespaces, an ordinary user could not enter the sandbox again: each namespace can be
/// joined only from the user namespace that owns it. Nothing runs with the rights of that inner
/// root; see [BubblewrapRuntime.BubblewrapExec].
record BubblewrapCommand(
        Installation installation, Person person, Guise guise, BubblewrapFeatures features) {
    static final String MARK = "sallyport-sandbox";
    static final String READY = "ready";

    /// Process 1: puts seeds into the home, waits, collects orphaned children, and cannot be killed
    /// from inside, because the kernel protects the first process of a pid namespace from its own
    /// kind.
    private static final String IDLE =
            "[ ! -e %1$s ] || /bin/sh %1$s >/dev/null; echo ".formatted(Seeding.PLACE)
                    + READY
                    + "; exec </dev/null >/dev/null 2>&1;"
                    + " while :; do sleep 2147483647 & wait \"$!\"; done";

    private static final long HOME_BYTES_MAX = 4L << 30;
    private static final long TMP_BYTES_MAX = 4L << 30;
    private static final long SMALL_BYTES_MAX = 256L << 20;

    /// @param group joined by the very first process, while it is still ours
    List<String> of(SandboxSpec spec, Optional<ControlGroup> group)
            throws SandboxException, IOException {
        List<String> command = new ArrayList<>();
        group.ifPresent(limits -> command.addAll(limits.joining()));
        command.add(HostProgram.require("setsid"));
        command.addAll(guise.words());
        command.addAll(detached(spec));
        command.addAll(
                List.of(
                        HostProgram.require("unshare"),
                        "--user",
                        "--map-root-user",
                        "--net",
                        "--"));
        command.addAll(ProcessLimits.of(spec.resources()));
        command.addAll(List.of(HostProgram.require("bwrap"), "--info-fd", "3", "--seccomp", "4"));
        command.addAll(namespaces());
        command.addAll(List.of("--setenv", "HOME", home(spec)));
        command.addAll(mounts(spec));
        command.addAll(List.of("--chdir", "/", "--", "/bin/sh", "-c", IDLE));
        command.addAll(marks(spec));
        return command;
    }

    /// The last arguments of both bubblewrap and process 1, by which the sweep knows them.
    private List<String> marks(SandboxSpec spec) {
        return List.of(MARK, spec.id().value(), installation.tag());
    }

    /// The filter for system calls of process 1, written before bubblewrap starts. Commands bring
    /// their own.
    static Path filter(SandboxSpec spec) {
        return spec.files().resolve("system-calls.bpf");
    }

    /// Gives bubblewrap descriptors of its own for its report and the filter, which then also stay
    /// out of the sandbox.
    private static List<String> detached(SandboxSpec spec) {
        return List.of(
                "/bin/sh",
                "-c",
                "exec 3>&1 4<\"$1\"; shift; exec \"$@\"",
                "sallyport",
                filter(spec).toString());
    }

    private static List<String> namespaces() {
        return List.of(
                "--unshare-pid",
                "--unshare-ipc",
                "--unshare-uts",
                "--unshare-cgroup-try",
                "--as-pid-1",
                "--cap-drop",
                "ALL",
                "--clearenv",
                "--setenv",
                "PATH",
                "/usr/bin:/bin",
                "--hostname",
                SandboxFiles.HOSTNAME);
    }

    private List<String> mounts(SandboxSpec spec) throws IOException {
        List<String> arguments = new ArrayList<>(SystemMounts.programs());
        arguments.addAll(SystemMounts.etc());
        arguments.addAll(ownFiles(spec));
        arguments.addAll(TrustMounts.of(spec));
        arguments.addAll(SystemMounts.kernel());
        if (BubblewrapHome.hasTemporaryFilesOnDisk(spec)) {
            arguments.addAll(
                    List.of("--bind", BubblewrapHome.temporaryFiles(spec).toString(), "/tmp"));
        } else {
            arguments.addAll(temporary("/tmp", "1777", TMP_BYTES_MAX));
        }
        arguments.addAll(temporary("/run", "0755", SMALL_BYTES_MAX));
        arguments.addAll(temporary("/var", "0755", SMALL_BYTES_MAX));
        arguments.addAll(List.of("--symlink", "/run", "/var/run", "--symlink", "/tmp", "/var/tmp"));
        Optional<Path> lasting = BubblewrapHome.of(spec, person);
        if (lasting.isPresent()) {
            arguments.addAll(List.of("--bind", lasting.get().toString(), home(spec)));
        } else {
            arguments.addAll(temporary(home(spec), "0700", HOME_BYTES_MAX));
        }
        arguments.addAll(shared(spec));
        arguments.addAll(List.of("--remount-ro", "/etc", "--remount-ro", "/"));
        return arguments;
    }

    private String home(SandboxSpec spec) {
        return spec.home().inhabitant(person).home().toString();
    }

    /// What is mounted later covers what was mounted before.
    private static List<String> shared(SandboxSpec spec) {
        List<String> arguments = new ArrayList<>();
        String workspace = spec.workspace().toString();
        spec.mounts().around(spec.workspace()).forEach(mount -> arguments.addAll(bind(mount)));
        arguments.addAll(List.of("--bind", workspace, workspace));
        spec.mounts().besides(spec.workspace()).forEach(mount -> arguments.addAll(bind(mount)));
        String empty = SandboxFiles.empty(spec).toString();
        spec.mounts()
                .hidden()
                .forEach(file -> arguments.addAll(List.of("--ro-bind", empty, file.toString())));
        return arguments;
    }

    private static List<String> bind(HostMount mount) {
        String path = mount.path().toString();
        return List.of(mount.writable() ? "--bind" : "--ro-bind", path, path);
    }

    private static List<String> ownFiles(SandboxSpec spec) {
        List<String> arguments = new ArrayList<>();
        for (String name :
                List.of(
                        SandboxFiles.GITCONFIG,
                        SandboxFiles.RESOLV_CONF,
                        SandboxFiles.HOSTS,
                        SandboxFiles.NSSWITCH_CONF,
                        SandboxFiles.PASSWD,
                        SandboxFiles.GROUP)) {
            String source = spec.files().resolve(name).toString();
            arguments.addAll(List.of("--ro-bind", source, "/etc/" + name));
        }
        if (Seeding.isNeeded(spec)) {
            String script = spec.files().resolve(Seeding.SCRIPT).toString();
            arguments.addAll(List.of("--ro-bind", script, Seeding.PLACE));
        }
        return arguments;
    }

    private List<String> temporary(String path, String permissions, long bytesMax) {
        List<String> arguments = new ArrayList<>();
        if (features.tmpfsPermissions()) {
            arguments.addAll(List.of("--perms", permissions));
        }
        if (features.tmpfsSize()) {
            arguments.addAll(List.of("--size", Long.toString(bytesMax)));
        }
        arguments.addAll(List.of("--tmpfs", path));
        return arguments;
    }

    /// Puts the certificates of a sandbox with an authority of its own where they can be named, and
    /// its bundle over the host's, for programs that look nowhere else.
    ///
    /// A place that is inside a directory of the host can be mounted over but not made, and
    /// bubblewrap does not follow links there as the sandbox will. So links are followed here.
    private static final class TrustMounts {
        private static final int LINKS_MAX = 8;

        static List<String> of(SandboxSpec spec) throws IOException {
            List<String> arguments = new ArrayList<>();
            for (String name : SandboxTrust.files(spec)) {
                arguments.addAll(mount(spec, name, SandboxTrust.DIRECTORY.resolve(name)));
            }
            if (spec.caPem().isPresent()) {
                arguments.addAll(List.of("--dir", SandboxTrust.NO_FURTHER.toString()));
                for (Path place : places()) {
                    arguments.addAll(mount(spec, SandboxTrust.BUNDLE, place));
                }
            }
            return arguments;
        }

        private static List<String> mount(SandboxSpec spec, String name, Path place) {
            return List.of("--ro-bind", spec.files().resolve(name).toString(), place.toString());
        }

        private static Set<Path> places() throws IOException {
            Set<Path> places = new LinkedHashSet<>();
            for (Path bundle : SystemCertificates.BUNDLES) {
                place(bundle).ifPresent(places::add);
            }
            return places;
        }

        private static Optional<Path> place(Path bundle) throws IOException {
            Path path = bundle;
            for (int i = 0; SystemMounts.show(path) && Files.isSymbolicLink(path); i++) {
                if (i == LINKS_MAX) {
                    return Optional.empty();
                }
                path = path.resolveSibling(Files.readSymbolicLink(path)).normalize();
            }
            boolean usable =
                    SystemMounts.show(path) ? Files.isRegularFile(path) : path.startsWith("/etc");
            return usable ? Optional.of(path) : Optional.empty();
        }
    }

    /// The limits that the kernel holds per process and hands down to its children.
    ///
    /// They are set in the sandbox's own user namespace, and before a further one is made in it:
    /// then the number of processes counts for all commands of one sandbox together, and not for
    /// what else the person runs.
    static final class ProcessLimits {
        /// `ulimit -f` counts in these.
        private static final long BLOCK_BYTES = 512;

        /// A limit that is lower already cannot be raised, and need not be. What `bash` calls `-u`
        /// is `-p` in `dash`.
        private static final String SET =
                "ulimit -c 0; ulimit -f \"$1\" 2>/dev/null; ulimit -n \"$2\" 2>/dev/null;"
                        + " test -z \"$3\" || ulimit -u \"$3\" 2>/dev/null || ulimit -p \"$3\" 2>/dev/null;"
                        + " shift 3; exec \"$@\"";

        /// The beginning of a command line that sets them and runs the rest.
        static List<String> of(Resources resources) {
            return List.of(
                    "/bin/sh",
                    "-c",
                    SET,
                    "sallyport",
                    Long.toString(resources.fileBytes() / BLOCK_BYTES),
                    Long.toString(Resources.OPEN_FILES),
                    resources.processes().map(count -> Long.toString(count)).orElse(""));
        }
    }
}

package dev.sallyport.cli;

import dev.sallyport.config.Home;
import dev.sallyport.control.Api;
import dev.sallyport.sandbox.Installation;
import dev.sallyport.sandbox.MountRules;
import dev.sallyport.sandbox.Person;
import dev.sallyport.sandbox.Places;
import dev.sallyport.sandbox.SandboxException;
import dev.sallyport.workspace.KeyFiles;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import picocli.CommandLine.Option;

/// What a sandbox is to see of the host's files besides its workspace.
final class MountOptions {
    @Option(
            names = "--mount",
            paramLabel = "PATH[:rw]",
            description =
                    "Mount a file or directory at the same path, read-only unless you add :rw. Repeatable.")
    private List<String> mounts = new ArrayList<>();

    @Option(
            names = "--unsafe-mount",
            paramLabel = "PATH[:rw]",
            description =
                    "Like --mount, for a path that --mount denies because it holds credentials or is a socket. Audited.")
    private List<String> unsafe = new ArrayList<>();

    @Option(
            names = "--redact",
            paramLabel = "FILE",
            description =
                    "Show this workspace file as empty in the sandbox; found means all files that look like credentials. Repeatable.")
    private List<String> redact = new ArrayList<>();

    /// @param extra as [#extra] has found them
    Api.MountRequest request(Output output, Path workspace, List<Api.MountText> extra) {
        extra.stream()
                .filter(Api.MountText::unsafe)
                .forEach(
                        mount ->
                                output.warn(
                                        "UNSAFE: the sandbox sees "
                                                + mount.path()
                                                + ", which is normally denied. It can use whatever that gives access to."));
        return new Api.MountRequest(
                extra,
                new KeyFileNotice(output, workspace).hidden(redact),
                places(output.surroundings().environment()));
    }

    /// What the person named, without symbolic links. One that a sandbox could have made is not
    /// followed, also for whoever insists: it would choose what they insist on (I15).
    List<Api.MountText> extra(Surroundings surroundings, LinkWalk links) throws CliException {
        List<Api.MountText> extra = new ArrayList<>();
        for (String text : mounts) {
            extra.add(mount(text, surroundings.directory(), links, false));
        }
        for (String text : unsafe) {
            extra.add(mount(text, surroundings.directory(), links, true));
        }
        return extra;
    }

    /// Refuses at once what the warden would refuse to let a sandbox write to, before it is
    /// searched and remembered as what one could write to.
    ///
    /// @param workspace empty when it is a clone, which is ours
    static void requirePlaces(
            Surroundings surroundings, List<Api.MountText> extra, Optional<Path> workspace)
            throws CliException, IOException {
        try {
            for (Api.MountText mount : extra) {
                if (mount.writable()) {
                    requirePlace(surroundings, real(mount.path()), mount.unsafe());
                }
            }
            if (workspace.isPresent()) {
                Path real = workspace.get();
                boolean insisted =
                        extra.stream().anyMatch(m -> m.unsafe() && real(m.path()).equals(real));
                requirePlace(surroundings, real, insisted);
            }
        } catch (SandboxException e) {
            throw ExitCode.USAGE.because("invalid", e.problem(), e.remedy());
        }
    }

    /// Whether it could be a workspace, as far as names tell.
    static boolean isPlace(Surroundings surroundings, Path directory) throws IOException {
        try {
            requirePlace(surroundings, directory, false);
            return true;
        } catch (InvalidPathException | SandboxException e) {
            return false;
        }
    }

    private static void requirePlace(Surroundings surroundings, Path place, boolean insisted)
            throws SandboxException, IOException {
        MountRules.requirePlace(
                place,
                insisted,
                Person.current(),
                new Installation(Home.resolve(surroundings.environment()).root()),
                Places.named(places(surroundings.environment())));
    }

    /// As the warden sees it; what is not there is refused by it.
    private static Path real(String text) {
        Path path = Path.of(text);
        try {
            return path.toRealPath();
        } catch (IOException e) {
            return path.normalize();
        }
    }

    private static Api.MountText mount(String text, Path directory, LinkWalk links, boolean unsafe)
            throws CliException {
        boolean writable = text.endsWith(":rw");
        boolean suffixed = writable || text.endsWith(":ro");
        String path = suffixed ? text.substring(0, text.length() - ":rw".length()) : text;
        try {
            Path named = directory.resolve(path);
            return new Api.MountText(withoutLinks(named, links).toString(), writable, unsafe);
        } catch (InvalidPathException e) {
            throw ExitCode.USAGE.because(
                    "invalid", "The path contains an invalid character.", "Use another path.");
        } catch (IOException e) {
            throw ExitCode.USAGE.because(
                    "invalid",
                    "The mount " + path + " does not exist or cannot be read.",
                    "Use another path.");
        }
    }

    /// What the kernel's links lead to depends on who looks; the warden refuses them by their name.
    private static Path withoutLinks(Path named, LinkWalk links) throws CliException, IOException {
        return Places.isKernel(named) ? named : links.resolve(named);
    }

    /// The warden has another environment than the person. It refuses what overlaps with any of
    /// these, so not the home directory is named, in which projects lie, but what lies in it.
    static Map<String, String> places(Map<String, String> environment) {
        Map<String, String> places = new LinkedHashMap<>();
        String home = environment.getOrDefault("HOME", "");
        if (isPath(home)) {
            Places.inHome(home).forEach(path -> places.put(path, "HOME"));
        }
        for (String variable : Places.VARIABLES) {
            for (String text : environment.getOrDefault(variable, "").split(":(?=/(?!/))", -1)) {
                path(text).ifPresent(path -> places.put(path, variable));
            }
        }
        return places;
    }

    private static Optional<String> path(String text) {
        String path =
                text.replaceFirst("^unix:path=", "")
                        .replaceFirst("^unix://", "")
                        .replaceFirst(",.*", "");
        return isPath(path) ? Optional.of(path) : Optional.empty();
    }

    private static boolean isPath(String text) {
        return text.startsWith("/") && text.indexOf('\0') < 0;
    }

    /// Tells the person which files of a workspace look like credentials before a sandbox reads
    /// them, and says which are to be hidden.
    private record KeyFileNotice(Output output, Path workspace) {
        private static final String ALL = "found";
        private static final int SHOWN_MAX = 20;

        /// @param chosen files as the person named them, or `found`
        List<String> hidden(List<String> chosen) {
            KeyFiles search = KeyFiles.in(workspace);
            List<String> hidden = new ArrayList<>();
            chosen.stream()
                    .filter(name -> !name.equals(ALL))
                    .map(this::relative)
                    .forEach(hidden::add);
            for (KeyFiles.KeyFile file : search.found()) {
                String name = file.path().toString();
                if (chosen.contains(ALL) && !hidden.contains(name)) {
                    hidden.add(name);
                }
                if (hidden.contains(name) && file.names() > 1) {
                    output.warn(
                            "%s has %s names (hard links). Only this one is hidden. Find the others with: find . -samefile %s"
                                    .formatted(name, file.names(), name));
                }
            }
            report(
                    search.found().stream()
                            .filter(f -> !hidden.contains(f.path().toString()))
                            .toList());
            if (search.isPartial()) {
                output.warn("The workspace is too large to search all of it for credentials.");
            }
            return hidden;
        }

        private void report(List<KeyFiles.KeyFile> visible) {
            if (visible.isEmpty()) {
                return;
            }
            String names =
                    visible.stream()
                            .map(file -> file.path().toString())
                            .limit(SHOWN_MAX)
                            .collect(Collectors.joining(", "));
            int more = visible.size() - SHOWN_MAX;
            output.warn(
                    "The sandbox can read files that look like credentials: "
                            + names
                            + (more > 0 ? " and " + more + " more" : "")
                            + ". Hide them with --redact found, or one with --redact FILE; or move them out of the workspace.");
        }

        private String relative(String name) {
            try {
                Path path = workspace.resolve(name).normalize();
                return path.startsWith(workspace) ? workspace.relativize(path).toString() : name;
            } catch (InvalidPathException e) {
                return name;
            }
        }
    }
}

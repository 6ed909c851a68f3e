package dev.sallyport.cli;

import dev.sallyport.config.GitIdentity;
import dev.sallyport.config.Home;
import dev.sallyport.config.KnownWorkspaces;
import dev.sallyport.config.ProjectFile;
import dev.sallyport.config.TrustedFiles;
import dev.sallyport.control.Api;
import dev.sallyport.workspace.Origin;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// What `run` and `new` say about the sandbox to be made.
final class SandboxOptions {
    @Option(
            names = "--name",
            paramLabel = "NAME",
            description = "Name of the sandbox. Default: a generated name.")
    private @Nullable String name;

    @Option(
            names = "--runtime",
            paramLabel = "RUNTIME",
            description =
                    "docker or bubblewrap. Default: docker if an engine answers; for an agent, bubblewrap.")
    private @Nullable String runtime;

    @Option(
            names = "--gateway",
            paramLabel = "NAME",
            description =
                    "Use this gateway on another machine, as listed by enroll --list, with its rules and credentials.")
    private @Nullable String gateway;

    @Option(names = "--image", paramLabel = "IMAGE", description = "Image to run; docker only.")
    private @Nullable String image;

    @Option(
            names = "--workspace",
            paramLabel = "DIR",
            description =
                    "Directory the sandbox may write to, at the same path inside. Default: the current directory.")
    private @Nullable Path workspace;

    @Mixin private CloneOptions clones = new CloneOptions();

    private Optional<ClonedWorkspace> cloned = Optional.empty();

    @Option(
            names = "--ephemeral-home",
            description =
                    "Use an empty home directory that is removed with the sandbox. Default: it is kept on disk, for run with the workspace, for new with the sandbox; see homes.")
    private boolean ephemeralHome;

    @Mixin private MountOptions mounts = new MountOptions();

    @Mixin private ResourceOptions resources = new ResourceOptions();

    @Mixin private HardeningOptions hardening = new HardeningOptions();

    @ArgGroup private Repos repos = new Repos();

    @Mixin private LifeOptions life = new LifeOptions();

    @Mixin private ReachOptions reach = new ReachOptions();

    @Option(
            names = "--publish",
            paramLabel = "[[ADDRESS:]PORT:]PORT",
            description =
                    "Reach a server in the sandbox at a port of this machine's loopback: 3000, or 8080:3000 for host port 8080. With an address, at that one instead. Repeatable; see ports.")
    private List<String> publish = new ArrayList<>();

    @Mixin private GitOptions git = new GitOptions();

    @Option(
            names = {"-y", "--yes"},
            description =
                    "Use the workspace's origin without asking, unless it changed since its first use.")
    private boolean yes;

    @Option(
            names = "--allow-workspace-credentials",
            description =
                    "Continue even if git's configuration holds a credential that the sandbox can read.")
    private boolean allowWorkspaceCredentials;

    /// Either some or explicitly none.
    static final class Repos {
        @Option(
                names = "--repo",
                paramLabel = "[HOST/]OWNER/NAME[:read|:write]",
                description =
                        "Grant a repository, also by its URL. Pushes go to agent/** branches, unless git: in policy.yaml says otherwise. Default: the workspace's origin, if you agree. Repeatable.")
        private List<String> some = new ArrayList<>();

        @Option(names = "--no-repo", description = "Grant no repository.")
        private boolean none;
    }

    /// The gateway on another machine, which has the credentials.
    Optional<String> gatewayElsewhere() {
        return Optional.ofNullable(gateway);
    }

    /// Whether the person chose what programs the sandbox has.
    boolean hasImage() {
        return image != null || "docker".equals(runtime);
    }

    /// @param agent what is to run in it, when that is known
    Api.CreateSandbox request(Output output, boolean ephemeral, Optional<AgentStart> agent)
            throws CliException, IOException {
        OwnArguments.requireUtf8();
        KnownWorkspaces known =
                new KnownWorkspaces(Home.resolve(output.surroundings().environment()));
        LinkWalk links = new LinkWalk(known.all());
        List<Api.MountText> extra = mounts.extra(output.surroundings(), links);
        cloned = clones.begin(output, name, workspace != null || repos.none);
        Path directory =
                cloned.isPresent()
                        ? cloned.get().directory()
                        : workspaceDirectory(output.surroundings(), links);
        MountOptions.requirePlaces(
                output.surroundings(), extra, Optional.of(directory).filter(_ -> cloned.isEmpty()));
        CompletableFuture<GitIdentity> identity =
                OwnIdentity.find(output.surroundings().environment(), directory);
        new WorkspaceCheck(output, directory).examine(allowWorkspaceCredentials);
        new ProjectNotice(output, directory).give();
        List<String> chosen = chosenRepos(output, directory, known);
        Api.MountRequest mounted = mounts.request(output, directory, extra);
        remember(output, known, directory, mounted);
        return new Api.CreateSandbox(
                cloned.map(ClonedWorkspace::name).or(() -> Optional.ofNullable(name)),
                Optional.ofNullable(runtime).or(() -> agent.flatMap(AgentStart::runtime)),
                Optional.ofNullable(image),
                directory.toString(),
                chosen,
                reach.request(
                        output,
                        agent.map(start -> start.presets(directory, reach.appliesRules()))
                                .orElse(List.of()),
                        publish),
                git.settings(identity.join()),
                ephemeral,
                life.request(),
                withProgram(mounted, directory, agent, links),
                resources.request(),
                hardening.request(),
                new Api.HomeRequest(
                        ephemeralHome || (ephemeral && cloned.isPresent()),
                        agent.map(start -> start.seeds(directory)).orElse(List.of())),
                gatewayElsewhere());
    }

    /// The workspace of the sandbox that was requested last, if it is to be a clone.
    Optional<ClonedWorkspace> cloned() {
        return cloned;
    }

    private static Api.MountRequest withProgram(
            Api.MountRequest mounted, Path workspace, Optional<AgentStart> agent, LinkWalk links)
            throws CliException, IOException {
        List<Api.MountText> all = new ArrayList<>(mounted.extra());
        for (Path mount : agent.map(start -> start.mounts(workspace)).orElse(List.of())) {
            String path = links.resolve(mount).toString();
            if (mounted.extra().stream().noneMatch(own -> own.path().equals(path))) {
                all.add(new Api.MountText(path, false, false));
            }
        }
        return new Api.MountRequest(all, mounted.hide(), mounted.refused());
    }

    private List<String> chosenRepos(Output output, Path directory, KnownWorkspaces known)
            throws CliException, IOException {
        if (cloned.isPresent()) {
            List<String> all = new ArrayList<>(List.of(cloned.get().grant()));
            all.addAll(namedRepos());
            return all;
        }
        if (repos.none || !repos.some.isEmpty()) {
            return namedRepos();
        }
        return new OriginOffer(output, known, directory).repos(Origin.of(directory), yes);
    }

    private List<String> namedRepos() throws CliException {
        return RepoArgument.all(repos.some).stream().map(RepoArgument::text).toList();
    }

    /// What is the origin now was not written by the sandbox to come.
    private static void remember(
            Output output, KnownWorkspaces known, Path directory, Api.MountRequest mounted) {
        List<Path> written = new ArrayList<>(List.of(directory));
        mounted.extra().stream()
                .filter(Api.MountText::writable)
                .map(mount -> Path.of(mount.path()))
                .filter(Files::isDirectory)
                .forEach(written::add);
        try {
            for (Path path : written) {
                Path real = path.toRealPath();
                known.see(
                        real,
                        Origin.of(real) instanceof Origin.Found(var repo)
                                ? Optional.of(repo.toString())
                                : Optional.empty());
            }
        } catch (IOException e) {
            output.warn("The origin of the workspace cannot be saved: " + e.getMessage());
        }
    }

    private Path workspaceDirectory(Surroundings surroundings, LinkWalk links) throws CliException {
        Path chosen = workspace == null ? here(surroundings) : workspace;
        try {
            Path real = links.resolve(surroundings.directory().resolve(chosen));
            if (Files.isDirectory(real)) {
                return real.toRealPath();
            }
        } catch (IOException e) {
            // Reported below, in the same words as a file that is not a directory.
        }
        throw ExitCode.USAGE.because(
                "no-workspace",
                "The workspace " + chosen + " is not a directory that you can read.",
                chosen.toString().contains(OwnArguments.REPLACEMENT)
                        ? "Its path is not valid UTF-8. Rename it, or choose another with --workspace DIR."
                        : "Choose one with --workspace DIR.");
    }

    /// The current directory as the person came to it: the shell knows by which links.
    private static Path here(Surroundings surroundings) {
        Path directory = surroundings.directory();
        try {
            Path named = Path.of(surroundings.environment().getOrDefault("PWD", ""));
            return named.isAbsolute() && Files.isSameFile(named, directory) ? named : directory;
        } catch (IOException | InvalidPathException e) {
            return directory;
        }
    }

    /// Tells the person that a project brings rules along which do not count, because nobody trusts
    /// them or they were changed since. Whether they count is the warden's to decide.
    record ProjectNotice(Output output, Path workspace) {
        void give() {
            Path file = workspace.resolve(ProjectFile.NAME);
            if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
                return;
            }
            try {
                Home home = Home.resolve(output.surroundings().environment());
                Optional<byte[]> content = ProjectFile.read(file);
                if (content.isEmpty()
                        || !new TrustedFiles(home.trustedFiles()).isTrusted(file, content.get())) {
                    output.warn(
                            "%s is not trusted in its current state, so its rules are not used. Read it, then run: sallyport policy trust %s"
                                    .formatted(file, file));
                }
            } catch (IOException e) {
                output.warn(file + " cannot be read, so its rules are not used.");
            }
        }
    }

    /// How a sandbox is held.
    static final class HardeningOptions {
        @Option(
                names = "--user",
                paramLabel = "image|owner|UID[:GID]",
                description =
                        "User for the commands in a container. Default: the user of the image, or the owner of the workspace if that is root.")
        private @Nullable String user;

        @Option(
                names = "--runtime-class",
                paramLabel = "NAME",
                description =
                        "Runtime of the container engine, as listed by docker info. Default: the engine's default.")
        private @Nullable String runtimeClass;

        @Option(
                names = "--userns",
                paramLabel = "private",
                description =
                        "Require a separate user namespace, so that root inside is not root on the host. Default: what the runtime does; bubblewrap always has one.")
        private @Nullable String userns;

        Api.HardeningRequest request() {
            return new Api.HardeningRequest(
                    Optional.ofNullable(user),
                    Optional.ofNullable(runtimeClass),
                    Optional.ofNullable(userns));
        }
    }

    /// What a sandbox may take of the machine.
    static final class ResourceOptions {
        @Option(
                names = "--memory",
                paramLabel = "SIZE",
                description =
                        "Memory limit, such as 512m or 4g. Default: half of the machine's memory.")
        private @Nullable String memory;

        @Option(
                names = "--cpus",
                paramLabel = "N",
                description = "Number of CPUs, such as 1.5. Default: all.")
        private @Nullable BigDecimal cpus;

        @Option(
                names = "--pids",
                paramLabel = "N",
                description = "Maximum number of processes. Default: 4096.")
        private @Nullable Long processes;

        @Option(
                names = "--file-size",
                paramLabel = "SIZE",
                description = "Maximum size of one file. Default: 32g.")
        private @Nullable String fileSize;

        Api.ResourceRequest request() throws CliException {
            return new Api.ResourceRequest(
                    memory == null ? Optional.empty() : Optional.of(bytes(memory)),
                    cpus == null ? Optional.empty() : Optional.of(thousandths(cpus)),
                    Optional.ofNullable(processes),
                    fileSize == null ? Optional.empty() : Optional.of(bytes(fileSize)));
        }

        private static long thousandths(BigDecimal number) throws CliException {
            try {
                return number.movePointRight(3).longValueExact();
            } catch (ArithmeticException e) {
                throw usage(number.toString());
            }
        }

        static long bytes(String text) throws CliException {
            String size = text.toLowerCase(Locale.ROOT);
            int shift =
                    switch (size.isEmpty() ? ' ' : size.charAt(size.length() - 1)) {
                        case 'k' -> 10;
                        case 'm' -> 20;
                        case 'g' -> 30;
                        default -> 0;
                    };
            String digits = shift == 0 ? size : size.substring(0, size.length() - 1);
            if (!digits.matches("[0-9]{1,9}")) {
                throw usage(text);
            }
            return Long.parseLong(digits) << shift;
        }

        private static CliException usage(String text) {
            return ExitCode.USAGE.because(
                    "bad-size",
                    "Not a size or number: " + text,
                    "Write a size as 512m or 4g, and CPUs as 2 or 1.5.");
        }
    }
}

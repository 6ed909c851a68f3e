package dev.sallyport.cli;

import dev.sallyport.config.GitIdentity;
import dev.sallyport.config.Home;
import dev.sallyport.config.KnownWorkspaces;
import dev.sallyport.control.Api;
import dev.sallyport.workspace.Origin;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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
        cloned = clones.begin(output, name, workspace != null || repos.none);
        Path directory =
                cloned.isPresent()
                        ? cloned.get().directory()
                        : workspaceDirectory(output.surroundings(), new LinkWalk(known.all()));
        CompletableFuture<GitIdentity> identity =
                OwnIdentity.find(output.surroundings().environment(), directory);
        new WorkspaceCheck(output, directory).examine(allowWorkspaceCredentials);
        new ProjectNotice(output, directory).give();
        List<String> chosen = chosenRepos(output, directory, known);
        Api.MountRequest mounted = mounts.request(output, directory);
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
                withProgram(mounted, directory, agent),
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
            Api.MountRequest mounted, Path workspace, Optional<AgentStart> agent) {
        List<Api.MountText> extra = new ArrayList<>(mounted.extra());
        agent.map(start -> start.mounts(workspace)).orElse(List.of()).stream()
                .filter(mount -> extra.stream().noneMatch(own -> own.path().equals(mount.path())))
                .forEach(extra::add);
        return new Api.MountRequest(extra, mounted.hide(), mounted.refused());
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
        throw new CliException(
                ExitCode.USAGE,
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
}

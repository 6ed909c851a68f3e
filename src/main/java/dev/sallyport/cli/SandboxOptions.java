package dev.sallyport.cli;

import dev.sallyport.config.GitSettings;
import dev.sallyport.control.Api;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// What `run` and `new` say about the sandbox to be made.
final class SandboxOptions {
    @Option(
            names = "--name",
            paramLabel = "NAME",
            description = "Name of the sandbox. Default: one is made up.")
    private @Nullable String name;

    @Option(
            names = "--runtime",
            paramLabel = "RUNTIME",
            description = "docker or bubblewrap. Default: docker when an engine answers.")
    private @Nullable String runtime;

    @Option(names = "--image", paramLabel = "IMAGE", description = "Image to run; docker only.")
    private @Nullable String image;

    @Option(
            names = "--workspace",
            paramLabel = "DIR",
            description =
                    "Directory the sandbox may write to, at the same path inside. Default: the current one.")
    private @Nullable Path workspace;

    @Mixin private MountOptions mounts = new MountOptions();

    @Mixin private ResourceOptions resources = new ResourceOptions();

    @Mixin private HardeningOptions hardening = new HardeningOptions();

    @ArgGroup private Repos repos = new Repos();

    @Mixin private LifeOptions life = new LifeOptions();

    @Option(
            names = "--allow",
            paramLabel = "HOST[:PORT]",
            description =
                    "Host that may be reached, besides those under egress: in policy.yaml; *.DOMAIN for names of one label more. Repeatable.")
    private List<String> allow = new ArrayList<>();

    @Option(
            names = "--preset",
            paramLabel = "NAME",
            description = "Bundle of rules, as policy presets lists them. Repeatable.")
    private List<String> presets = new ArrayList<>();

    @Option(
            names = "--no-egress",
            description = "Leave out what egress: in policy.yaml allows every sandbox.")
    private boolean noEgress;

    @Option(
            names = "--learn",
            description =
                    "NOT ISOLATED: let through to the internet what no rule covers, and record it for policy suggest.")
    private boolean learn;

    @Option(
            names = "--no-git-rewrite",
            description = "Leave out the git configuration that sends git through the gateway.")
    private boolean noGitRewrite;

    @Option(
            names = "--git-hooks",
            description = "Run the repository's own git hooks inside. Default: they do not run.")
    private boolean gitHooks;

    @Option(
            names = {"-y", "--yes"},
            description = "Use the workspace's origin without asking.")
    private boolean yes;

    @Option(
            names = "--allow-workspace-credentials",
            description =
                    "Go on although git's configuration holds a credential that the sandbox will be able to read.")
    private boolean allowWorkspaceCredentials;

    /// Either some or explicitly none.
    static final class Repos {
        @Option(
                names = "--repo",
                paramLabel = "[HOST/]OWNER/NAME[:read|:write]",
                description =
                        "Repository that may be used; repeatable. Writing is for agent/** branches, unless git: in policy.yaml says otherwise. Default: the workspace's origin, if you agree to it.")
        private List<String> some = new ArrayList<>();

        @Option(names = "--no-repo", description = "No repository at all.")
        private boolean none;
    }

    Api.CreateSandbox request(Output output, boolean ephemeral) throws CliException {
        OwnArguments.requireUtf8();
        Path directory = workspaceDirectory(output.surroundings());
        new WorkspaceCheck(output, directory).examine(allowWorkspaceCredentials);
        new ProjectNotice(output, directory).give();
        return new Api.CreateSandbox(
                Optional.ofNullable(name),
                Optional.ofNullable(runtime),
                Optional.ofNullable(image),
                directory.toString(),
                chosenRepos(output, directory),
                reach(output),
                new GitSettings(!noGitRewrite, gitHooks, false),
                ephemeral,
                life.request(),
                mounts.request(output, directory),
                resources.request(),
                hardening.request());
    }

    private Api.ReachRequest reach(Output output) {
        if (learn) {
            output.warn(
                    "this sandbox is NOT ISOLATED while it learns: it can reach every public host.");
        }
        return new Api.ReachRequest(List.copyOf(allow), List.copyOf(presets), !noEgress, learn);
    }

    private List<String> chosenRepos(Output output, Path directory) throws CliException {
        if (repos.none || !repos.some.isEmpty()) {
            return List.copyOf(repos.some);
        }
        return new OriginOffer(output).repos(Origin.of(directory), yes);
    }

    Path workspaceDirectory(Surroundings surroundings) throws CliException {
        Path chosen = workspace == null ? surroundings.directory() : workspace;
        try {
            Path real = surroundings.directory().resolve(chosen).toRealPath();
            if (Files.isDirectory(real)) {
                return real;
            }
        } catch (IOException e) {
            // Reported below, in the same words as a file that is not a directory.
        }
        throw new CliException(
                ExitCode.USAGE,
                "no-workspace",
                "The workspace " + chosen + " is not a directory that you can read.",
                chosen.toString().contains(OwnArguments.REPLACEMENT)
                        ? "Its path is not valid UTF-8; rename it, or name another with --workspace DIR."
                        : "Name one with --workspace DIR.");
    }
}

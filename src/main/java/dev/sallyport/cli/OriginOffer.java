package dev.sallyport.cli;

import dev.sallyport.config.KnownWorkspaces;
import dev.sallyport.sandbox.ShellWords;
import dev.sallyport.workspace.Origin;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// Offers the workspace's origin when the person named no repository. Whoever ran in the workspace
/// before may have written it, so it is used only after somebody has agreed to it (I7), and what
/// somebody agreed to holds for that repository alone (I15).
record OriginOffer(Output output, KnownWorkspaces workspaces, Path workspace) {
    private static final String GIT = ".git";
    private static final String TERMS =
            " (the workspace's origin) with the access in policy.yaml (default: read and write, push to agent/** only)";

    /// @param yes whether the person has agreed beforehand
    List<String> repos(Origin origin, boolean yes) throws CliException, IOException {
        return switch (origin) {
            case Origin.None() -> {
                above().ifPresentOrElse(
                                repository ->
                                        output.warn(
                                                "No repository: this directory is in "
                                                        + repository
                                                        + ", and the sandbox sees only the directory. To work in the repository: --workspace "
                                                        + ShellWords.quote(
                                                                List.of(repository.toString()))),
                                () ->
                                        output.progress(
                                                "no repository: the workspace has no origin (--repo names one)"));
                yield List.of();
            }
            case Origin.Unusable(String why) -> {
                output.warn("No repository: the origin of this workspace " + why + ". Use --repo.");
                yield List.of();
            }
            case Origin.Found(var repo) -> accept(repo.toString(), yes);
        };
    }

    /// The repository that the workspace is a directory of. Not one that a sandbox could have made
    /// in what it had: the next one would be given all of that. And not one that cannot be a
    /// workspace itself, which nothing above it can be either.
    private Optional<Path> above() throws IOException {
        if (hasRepository(workspace)) {
            return Optional.empty();
        }
        Path at = workspace.getParent();
        while (at != null && MountOptions.isPlace(output.surroundings(), at)) {
            if (hasRepository(at) && workspaces.find(at).isEmpty()) {
                return Optional.of(at);
            }
            at = at.getParent();
        }
        return Optional.empty();
    }

    private static boolean hasRepository(Path directory) {
        return Files.exists(directory.resolve(GIT), LinkOption.NOFOLLOW_LINKS);
    }

    private List<String> accept(String repo, boolean yes) throws CliException, IOException {
        Optional<String> before =
                workspaces
                        .find(workspace)
                        .map(known -> known.origin().orElse("none"))
                        .filter(known -> !known.equals(repo));
        boolean answerable = !output.isJson() && output.isAnswerable();
        if (yes && before.isPresent() && !answerable) {
            throw changed(before.get(), repo);
        }
        if (!(yes && before.isEmpty()) && !answerable) {
            output.warn(
                    "No repository: there is no terminal to ask whether to use %s, the origin of this workspace. Use --repo %s%s"
                            .formatted(repo, repo, before.isPresent() ? "." : " or --yes."));
            return List.of();
        }
        if (yes && before.isEmpty()) {
            output.notice("using " + repo + TERMS);
        } else if (!isAgreed(repo, before)) {
            output.progress("no repository");
            return List.of();
        }
        workspaces.accept(workspace, Optional.of(repo));
        return List.of(repo);
    }

    private static CliException changed(String before, String repo) {
        return ExitCode.REFUSED.because(
                "origin-changed",
                "The origin of this workspace is now %s; it was %s. A sandbox can change it, so --yes does not accept it."
                        .formatted(repo, before),
                "To use it, add --repo " + repo + ", or answer at a terminal.");
    }

    private boolean isAgreed(String repo, Optional<String> before) throws CliException {
        if (before.isEmpty()) {
            return isAgreed("Use " + repo + TERMS + "? [Y/n] ", true);
        }
        output.warn(
                "The origin of this workspace is now %s; it was %s. A sandbox can change it."
                        .formatted(repo, before.get()));
        return isAgreed("Use " + repo + TERMS + "? [y/N] ", false);
    }

    private boolean isAgreed(String question, boolean usually) throws CliException {
        try {
            return output.isAgreed(question, usually);
        } catch (IOException e) {
            throw ExitCode.UNAVAILABLE.because(
                    "no-answer", "The terminal cannot be read.", "Use --repo, --no-repo or --yes.");
        }
    }
}

package dev.sallyport.cli;

import dev.sallyport.config.Home;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.RefName;
import dev.sallyport.sandbox.ShellWords;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// A workspace of Sallyport's own making instead of a directory of the person's.
final class CloneOptions {
    private static final int ATTEMPTS_MAX = 100;

    /// A sandbox's name has 31 characters, seven of them for what makes it unique.
    private static final int NAME_CHARACTERS_MAX = 24;

    @Option(
            names = "--clone",
            paramLabel = "[HOST/]OWNER/NAME[:read|:write]",
            description =
                    "Work in a fresh clone of this repository, on a new branch, instead of in --workspace. Grants it like --repo. Removed afterwards unless it has work that was not pushed.")
    private @Nullable String repo;

    @Option(
            names = "--branch",
            paramLabel = "BRANCH",
            description =
                    "Branch that --clone starts from. Default: the repository's default branch.")
    private @Nullable String branch;

    /// Makes the empty directory, if a clone is wanted.
    ///
    /// @param name what the person calls the sandbox
    /// @param contradicted whether another workspace is named, or no repository granted
    Optional<ClonedWorkspace> begin(Output output, @Nullable String name, boolean contradicted)
            throws CliException, IOException {
        if (repo == null) {
            if (branch != null) {
                throw usage(
                        "--branch needs --clone.", "For example: --clone acme/app --branch dev");
            }
            return Optional.empty();
        }
        if (contradicted) {
            throw usage(
                    "--clone does not go with --workspace or --no-repo.",
                    "Leave out one of them. The clone is the workspace.");
        }
        ClonedWorkspace.Source source = source(repo, Optional.ofNullable(branch));
        Home home = Home.resolve(output.surroundings().environment());
        home.create(home.clones());
        return Optional.of(new ClonedWorkspace(output, source, directory(home, source, name)));
    }

    private static ClonedWorkspace.Source source(String text, Optional<String> branch)
            throws CliException {
        try {
            if (branch.isPresent()) {
                RefName.parse("refs/heads/" + branch.get());
            }
            RepoArgument named = RepoArgument.parse(text);
            return new ClonedWorkspace.Source(named.repo(), named.text(), branch);
        } catch (MalformedNameException e) {
            throw usage(
                    "--clone names one repository: " + e.getMessage() + ".",
                    "Write it as [host/]owner/name[:read|:write], or as its URL.");
        }
    }

    private static Path directory(Home home, ClonedWorkspace.Source source, @Nullable String name)
            throws CliException, IOException {
        if (name != null) {
            return named(home.clones().toRealPath(), name);
        }
        String stem = stem(source.repo().name());
        SecureRandom random = new SecureRandom();
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
            String unique = stem + "-" + String.format("%06x", random.nextInt(1 << 24));
            try {
                return create(home.clones().toRealPath().resolve(unique));
            } catch (FileAlreadyExistsException _) {
                // Another name, then.
            }
        }
        throw new IOException("no name is left in " + home.clones());
    }

    private static Path named(Path clones, String name) throws CliException, IOException {
        if (!name.matches("[a-z0-9][a-z0-9-]{0,30}")) {
            throw usage(
                    "Not a valid sandbox name.",
                    "Use 1 to 31 lower-case letters, digits and hyphens, starting with a letter or digit.");
        }
        try {
            return create(clones.resolve(name));
        } catch (FileAlreadyExistsException _) {
            throw ExitCode.CONFLICT.because(
                    "clone-exists",
                    "There is a clone in " + clones.resolve(name) + " already.",
                    "Use another --name, or remove it if you do not need it: rm -rf "
                            + ShellWords.quote(List.of(clones.resolve(name).toString())));
        }
    }

    private static Path create(Path directory) throws IOException {
        return Files.createDirectory(
                directory,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }

    private static String stem(String repo) {
        String plain = repo.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
        String whole = plain.replaceFirst("^-+", "");
        String cut = whole.substring(0, Math.min(whole.length(), NAME_CHARACTERS_MAX));
        String end = cut.replaceFirst("-+$", "");
        return end.isEmpty() ? "clone" : end;
    }

    private static CliException usage(String message, String remedy) {
        return ExitCode.USAGE.because("bad-clone", message, remedy);
    }
}

package dev.sallyport.cli;

import dev.sallyport.control.Api;
import dev.sallyport.workspace.GitConfigText;
import dev.sallyport.workspace.GitFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Stream;

/// Tells the person, when a sandbox begins, that the repository's hooks do not run in it, so that
/// nobody believes that a check took place.
final class HookNotice {
    private static final int SHOWN_MAX = 5;

    /// Tools that keep hooks in the workspace and install them on request.
    private static final List<String> TOOLS =
            List.of(".husky", ".pre-commit-config.yaml", "lefthook.yml", ".lefthook.yml");

    static void give(Output output, Api.SandboxView made) {
        if (made.git().hooks()) {
            return;
        }
        Path workspace = Path.of(made.workspace());
        NavigableSet<String> found = hooksOf(workspace);
        TOOLS.stream().filter(tool -> Files.exists(workspace.resolve(tool))).forEach(found::add);
        named(workspace).map(Path::toString).ifPresent(found::add);
        if (!found.isEmpty()) {
            output.notice(
                    "Git hooks do not run in this sandbox ("
                            + String.join(", ", found.stream().limit(SHOWN_MAX).toList())
                            + (found.size() > SHOWN_MAX ? ", ..." : "")
                            + "). To run or install them, add --git-hooks.");
        }
    }

    /// The directory of hooks that the repository names, unless it is a tool's.
    private static Optional<Path> named(Path workspace) {
        return new GitFiles(workspace)
                .repository()
                .flatMap(git -> GitFiles.text(git.resolve("config")))
                .flatMap(HookNotice::hooksPath)
                .flatMap(name -> inside(workspace, name))
                .filter(path -> TOOLS.stream().noneMatch(path::startsWith));
    }

    private static Optional<String> hooksPath(String config) {
        try {
            return GitConfigText.parse(config).stream()
                    .filter(entry -> entry.section().equals("core") && entry.subsection().isEmpty())
                    .filter(entry -> entry.key().equals("hookspath"))
                    .map(GitConfigText.Entry::value)
                    .reduce((_, last) -> last);
        } catch (GitConfigText.MalformedException e) {
            // Then git runs nothing.
            return Optional.empty();
        }
    }

    private static Optional<Path> inside(Path workspace, String name) {
        try {
            Path path = workspace.resolve(name).normalize();
            return path.startsWith(workspace) && Files.isDirectory(path)
                    ? Optional.of(workspace.relativize(path))
                    : Optional.empty();
        } catch (InvalidPathException e) {
            return Optional.empty();
        }
    }

    private static NavigableSet<String> hooksOf(Path workspace) {
        Optional<Path> directory =
                new GitFiles(workspace).repository().map(g -> g.resolve("hooks"));
        if (directory.isEmpty() || !Files.isDirectory(directory.get())) {
            return new TreeSet<>();
        }
        try (Stream<Path> files = Files.list(directory.get())) {
            NavigableSet<String> names = new TreeSet<>();
            files.filter(file -> !file.toString().endsWith(".sample"))
                    .filter(file -> Files.isRegularFile(file) && Files.isExecutable(file))
                    .forEach(file -> names.add(String.valueOf(file.getFileName())));
            return names;
        } catch (IOException e) {
            return new TreeSet<>();
        }
    }
}

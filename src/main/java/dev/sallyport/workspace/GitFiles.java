package dev.sallyport.workspace;

import dev.sallyport.confine.HeldFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The files of a workspace that configure git: its repository's, also where `.git` is only a file
/// that leads to it, its submodules', and `.gitmodules`. A symbolic link in place of one of them is
/// looked through, as git does.
public record GitFiles(Path workspace) {
    private static final int SUBMODULES_MAX = 1_000;
    private static final int SUBMODULE_DEPTH_MAX = 8;

    /// The kernel follows no longer one; Java takes a time that grows with the square of it.
    static final int PATH_MAX = 4_096;

    private static final String LEADS = "gitdir: ";

    /// Existing ones only.
    public List<Path> configurations() {
        List<Path> files = new ArrayList<>();
        files.add(workspace.resolve(".gitmodules"));
        repository()
                .ifPresent(
                        git -> {
                            files.add(git.resolve("config"));
                            files.add(git.resolve("config.worktree"));
                            files.addAll(submodules(git.resolve("modules")));
                        });
        return files.stream().filter(Files::isRegularFile).toList();
    }

    /// Something about the repository that a person should know, as a sentence.
    public Optional<String> oddity() {
        Path git = workspace.resolve(".git");
        if (Files.isSymbolicLink(git)) {
            return Optional.of(
                    ".git is a symbolic link. git on this machine follows it, and its target was not checked.");
        }
        if (Files.isSymbolicLink(git.resolve("config"))) {
            return Optional.of(
                    ".git/config is a symbolic link. git on this machine follows it to a file that can be changed elsewhere.");
        }
        boolean leads = Files.isRegularFile(git, LinkOption.NOFOLLOW_LINKS);
        return leads && repository().isEmpty()
                ? Optional.of(
                        ".git points to a repository outside the workspace (a linked worktree or a submodule). git does not work in the sandbox, and the sandbox can change where .git points.")
                : Optional.empty();
    }

    /// The directory of the repository, when it lies in the workspace.
    public Optional<Path> repository() {
        Path git = workspace.resolve(".git");
        if (Files.isDirectory(git, LinkOption.NOFOLLOW_LINKS)) {
            return Optional.of(git);
        }
        return led(git).flatMap(name -> directoryInside(workspace, workspace, name));
    }

    /// What a `.git` that is a file says, as git reads it.
    static Optional<String> led(Path git) {
        return path(git)
                .filter(text -> text.startsWith(LEADS))
                .map(t -> t.substring(LEADS.length()));
    }

    /// The path that a file holds, as git reads it: all of it but the ends of lines at its end, up
    /// to a NUL. Empty when it is not UTF-8: then what we would look at is not what git uses.
    static Optional<String> path(Path file) {
        return exact(file).map(GitFiles::line);
    }

    private static String line(String text) {
        int end = text.length();
        while (end > 0 && (text.charAt(end - 1) == '\n' || text.charAt(end - 1) == '\r')) {
            end--;
        }
        int nul = text.indexOf(0);
        return text.substring(0, nul < 0 ? end : Math.min(nul, end));
    }

    /// The same as [#inside] for what must be a directory. What is not there yet can become
    /// anything.
    static Optional<Path> directoryInside(Path workspace, @Nullable Path from, String name) {
        return inside(workspace, from, name).filter(Files::isDirectory);
    }

    private static List<Path> submodules(Path modules) {
        if (!Files.isDirectory(modules, LinkOption.NOFOLLOW_LINKS)) {
            return List.of();
        }
        try (Stream<Path> tree = Files.walk(modules, SUBMODULE_DEPTH_MAX)) {
            return tree.filter(path -> path.endsWith("config")).limit(SUBMODULES_MAX).toList();
        } catch (IOException | java.io.UncheckedIOException e) {
            return List.of();
        }
    }

    /// Where a path leads that something in the workspace names, if that lies in the workspace.
    static Optional<Path> inside(Path workspace, @Nullable Path from, String name) {
        if (name.length() > PATH_MAX) {
            return Optional.empty();
        }
        try {
            Path named = (from == null ? workspace : from).resolve(name);
            Path path = Files.exists(named) ? named.toRealPath() : named.normalize();
            return path.startsWith(workspace) ? Optional.of(path) : Optional.empty();
        } catch (IOException | InvalidPathException e) {
            return Optional.empty();
        }
    }

    /// Looks through symbolic links, as git does. Empty when it is not a file, or too large to be
    /// what it should.
    public static Optional<String> text(Path file) {
        return bytes(file).map(bytes -> new String(bytes, StandardCharsets.UTF_8));
    }

    /// The same, empty also when it is not UTF-8.
    static Optional<String> exact(Path file) {
        return bytes(file)
                .flatMap(
                        bytes -> {
                            try {
                                return Optional.of(
                                        StandardCharsets.UTF_8
                                                .newDecoder()
                                                .decode(ByteBuffer.wrap(bytes))
                                                .toString());
                            } catch (CharacterCodingException e) {
                                return Optional.empty();
                            }
                        });
    }

    private static Optional<byte[]> bytes(Path file) {
        try (InputStream in = HeldFile.open(file)) {
            byte[] bytes = in.readNBytes(Origin.CONFIG_BYTES_MAX + 1);
            return Optional.of(bytes).filter(all -> all.length <= Origin.CONFIG_BYTES_MAX);
        } catch (IOException e) {
            // Then git cannot read it either.
            return Optional.empty();
        }
    }
}

package dev.sallyport.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/// The files of a workspace that make the host do something without being asked: git's
/// configuration and hooks, and what editors, shells and agents run when a person merely opens the
/// directory (I7). As they were at one moment.
///
/// @param states path relative to the workspace, to what was there
record TriggerFiles(Path workspace, Map<String, String> states) {
    private static final int FILES_MAX = 2_000;
    private static final long DIGESTED_BYTES_MAX = 16L << 20;

    /// A directory stands for the files right in it. `docs/mounts.md` has the same list.
    static final List<String> WATCHED =
            List.of(
                    ".git",
                    ".git/config",
                    ".git/config.worktree",
                    ".git/hooks",
                    ".git/info/attributes",
                    ".gitattributes",
                    ".gitmodules",
                    ".claude/settings.json",
                    ".claude/settings.local.json",
                    ".cursor",
                    ".devcontainer",
                    ".devcontainer.json",
                    ".envrc",
                    ".husky",
                    ".idea/runConfigurations",
                    ".idea/workspace.xml",
                    ".mcp.json",
                    ".mise.toml",
                    ".pre-commit-config.yaml",
                    ".vscode",
                    "mise.toml");

    static TriggerFiles of(Path workspace) {
        Map<String, String> states = new TreeMap<>();
        for (String name : WATCHED) {
            Path path = workspace.resolve(name);
            if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
                continue;
            }
            if (name.equals(".git") || !Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
                states.put(name, state(path));
            } else {
                addFilesIn(path, name, states);
            }
        }
        return new TriggerFiles(workspace, Map.copyOf(states));
    }

    private static void addFilesIn(Path directory, String name, Map<String, String> states) {
        try (Stream<Path> files = Files.list(directory)) {
            files.limit(FILES_MAX)
                    .filter(file -> !file.toString().endsWith(".sample"))
                    .forEach(file -> states.put(name + "/" + file.getFileName(), state(file)));
        } catch (IOException | UncheckedIOException e) {
            states.put(name, "unreadable");
        }
    }

    /// Paths that were added, changed or removed since.
    SortedSet<String> changed() {
        Map<String, String> now = of(workspace).states;
        SortedSet<String> changed = new TreeSet<>(states.keySet());
        changed.addAll(now.keySet());
        changed.removeIf(
                path ->
                        states.containsKey(path)
                                && states.get(path).equals(now.getOrDefault(path, "")));
        return changed;
    }

    private static String state(Path file) {
        try {
            if (Files.isSymbolicLink(file)) {
                return "link " + Files.readSymbolicLink(file);
            }
            if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
                return Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS) ? "directory" : "other";
            }
            long size = Files.size(file);
            String content =
                    size > DIGESTED_BYTES_MAX
                            ? size + " " + Files.getLastModifiedTime(file)
                            : digest(file);
            return (Files.isExecutable(file) ? "program " : "file ") + content;
        } catch (IOException e) {
            return "unreadable";
        }
    }

    private static String digest(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS);
                DigestInputStream digest =
                        new DigestInputStream(in, MessageDigest.getInstance("SHA-256"))) {
            digest.readNBytes((int) DIGESTED_BYTES_MAX);
            return HexFormat.of().formatHex(digest.getMessageDigest().digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}

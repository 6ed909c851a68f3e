package dev.sallyport.workspace;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What this machine's git reads that no sandbox can write, and that can lead into a workspace all
/// the same.
///
/// @param own the entries of the person's own configuration, and of the machine's
/// @param homes where the homes of sandboxes are: a sandbox knows its own by its path
public record HostGit(List<GitConfigText.Entry> own, Optional<Path> homes) {
    public static final HostGit NONE = new HostGit(List.of(), Optional.empty());

    private static final int FILES_MAX = 100;

    public HostGit {
        own = List.copyOf(own);
        homes = homes.map(HostGit::real);
    }

    /// The entries of some files, and of all that they include, on whatever condition.
    ///
    /// @param home what `~` stands for
    public static List<GitConfigText.Entry> entries(List<Path> files, Path home) {
        List<GitConfigText.Entry> entries = new ArrayList<>();
        Set<Path> read = new HashSet<>();
        for (Path file : files) {
            read(file, home, read, entries);
        }
        return entries;
    }

    private static void read(
            Path file, Path home, Set<Path> read, List<GitConfigText.Entry> entries) {
        if (read.size() >= FILES_MAX || !read.add(file)) {
            return;
        }
        try {
            for (GitConfigText.Entry written :
                    GitConfigText.parse(GitFiles.text(file).orElse(""))) {
                GitConfigText.Entry entry = atHome(written, home);
                entries.add(entry);
                if (entry.section().startsWith("include") && entry.key().equals("path")) {
                    read(file.resolveSibling(entry.value()), home, read, entries);
                }
            }
        } catch (GitConfigText.MalformedException e) {
            // Git refuses it, too, and says so.
        }
    }

    private static GitConfigText.Entry atHome(GitConfigText.Entry entry, Path home) {
        return entry.value().startsWith("~/")
                ? new GitConfigText.Entry(
                        entry.section(),
                        entry.subsection(),
                        entry.key(),
                        home + entry.value().substring(1))
                : entry;
    }

    /// The entries of repositories outside that git uses in a directory or around it, by the
    /// directory in which git uses them.
    static Map<Path, List<GitConfigText.Entry>> around(Path root) {
        Map<Path, List<GitConfigText.Entry>> around = new LinkedHashMap<>();
        Path home = Path.of(System.getProperty("user.home", "/"));
        for (Path at = root; at != null; at = at.getParent()) {
            Path place = at;
            repository(at)
                    .filter(git -> !git.startsWith(root))
                    .ifPresent(git -> around.put(place, entries(configs(git), home)));
        }
        return around;
    }

    private static Optional<Path> repository(Path place) {
        Path git = place.resolve(".git");
        return Files.isDirectory(git)
                ? Optional.of(git)
                : GitFiles.led(git).map(name -> place.resolve(name).normalize());
    }

    private static List<Path> configs(Path git) {
        Path common =
                GitFiles.path(git.resolve("commondir"))
                        .map(name -> git.resolve(name).normalize())
                        .orElse(git);
        return List.of(common.resolve("config"), git.resolve("config.worktree"));
    }

    /// Whether it is a link that leads to the homes of sandboxes, or would if anything were there.
    boolean isLinkToHomes(Path file) {
        try {
            return Files.isSymbolicLink(file)
                    && leadsToHomes(file.getParent(), Files.readSymbolicLink(file).toString());
        } catch (IOException e) {
            return false;
        }
    }

    /// The same for a path that something in a directory names.
    boolean leadsToHomes(@Nullable Path from, String name) {
        try {
            return from != null
                    && homes.isPresent()
                    && real(from.resolve(name)).startsWith(homes.get());
        } catch (InvalidPathException e) {
            return false;
        }
    }

    private static Path real(Path path) {
        try {
            return path.toRealPath();
        } catch (IOException e) {
            return path.normalize();
        }
    }
}

package dev.sallyport.workspace;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.URLDecoder;
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

/// What this machine's git reads outside a workspace, and that can lead into it.
///
/// @param own the entries of the person's own configuration, and of the machine's
/// @param homes where the homes of sandboxes are: a sandbox knows its own by its path
/// @param home the person's own
public record HostGit(List<GitConfigText.Entry> own, Optional<Path> homes, Path home) {
    public static final HostGit NONE = new HostGit(List.of(), Optional.empty(), Path.of("/"));

    private static final String FILE_URL = "file://";

    private static final int FILES_MAX = 100;

    public HostGit {
        own = List.copyOf(own);
        homes = homes.map(HostGit::real);
    }

    /// What a person's git reads who has this environment.
    public static HostGit of(Map<String, String> environment, Path homes) {
        Path home = Path.of(environment.getOrDefault("HOME", "/"));
        String xdg = environment.getOrDefault("XDG_CONFIG_HOME", "");
        List<Path> files = new ArrayList<>();
        if (GitDanger.isOff(environment.getOrDefault("GIT_CONFIG_NOSYSTEM", ""))) {
            files.add(Path.of(environment.getOrDefault("GIT_CONFIG_SYSTEM", "/etc/gitconfig")));
        }
        if (environment.containsKey("GIT_CONFIG_GLOBAL")) {
            files.add(Path.of(environment.get("GIT_CONFIG_GLOBAL")));
        } else {
            files.add(home.resolve(".gitconfig"));
            files.add(
                    (xdg.isEmpty() ? home.resolve(".config") : Path.of(xdg)).resolve("git/config"));
        }
        return new HostGit(entries(files, home), Optional.of(homes), home);
    }

    /// The entries of some files, and of all that they include, on whatever condition.
    ///
    /// @param home what `~` stands for
    private static List<GitConfigText.Entry> entries(List<Path> files, Path home) {
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
                    resolved(file.getParent(), entry.value())
                            .ifPresent(included -> read(included, home, read, entries));
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
    Map<Path, List<GitConfigText.Entry>> around(Path root) {
        Map<Path, List<GitConfigText.Entry>> around = new LinkedHashMap<>();
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
                : GitFiles.led(git).flatMap(name -> resolved(place, name));
    }

    private static Optional<Path> resolved(@Nullable Path from, String name) {
        if (name.length() > GitFiles.PATH_MAX) {
            return Optional.empty();
        }
        try {
            return Optional.ofNullable(from).map(path -> path.resolve(name).normalize());
        } catch (InvalidPathException e) {
            return Optional.empty();
        }
    }

    private static List<Path> configs(Path git) {
        Path common =
                GitFiles.path(git.resolve("commondir"))
                        .flatMap(name -> resolved(git, name))
                        .orElse(git);
        return List.of(common.resolve("config"), git.resolve("config.worktree"));
    }

    /// Whether the homes of sandboxes are below a path, or it is in them.
    boolean leadsToHomes(Path target) {
        return homes.filter(all -> target.startsWith(all) || all.startsWith(target)).isPresent();
    }

    /// Where a link leads, or would.
    Optional<Path> target(Path link) {
        try {
            return Optional.of(real(link.resolveSibling(Files.readSymbolicLink(link))));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /// Where a URL leads, as git reads it, if that is on this machine.
    ///
    /// @param from the directory in which git is used
    Optional<Path> local(Path from, String url) {
        if (!isLocal(url)) {
            return Optional.empty();
        }
        String path = url;
        if (url.startsWith(FILE_URL)) {
            try {
                path =
                        URLDecoder.decode(
                                url.substring(FILE_URL.length()).replace("+", "%2B"), UTF_8);
            } catch (IllegalArgumentException e) {
                path = url.substring(FILE_URL.length());
            }
        } else if (url.startsWith("~/")) {
            path = home + url.substring(1);
        }
        return resolved(from, path).map(HostGit::real);
    }

    /// Git takes for a path what has no colon before its first slash.
    static boolean isLocal(String url) {
        int colon = url.indexOf(':');
        int slash = url.indexOf('/');
        return url.startsWith(FILE_URL) || colon < 0 || (slash >= 0 && slash < colon);
    }

    /// Whether a URL can lead to a path on this machine that begins with this.
    static boolean beginsLocal(String base) {
        return isLocal(base) || FILE_URL.startsWith(base);
    }

    boolean isInHomes(Path path) {
        return homes.filter(path::startsWith).isPresent();
    }

    /// Also of what is not there yet, as far as there is something on the way to it.
    private static Path real(Path path) {
        Path whole = path.toAbsolutePath();
        for (Path there = whole; there != null; there = there.getParent()) {
            try {
                return there.toRealPath().resolve(there.relativize(whole)).normalize();
            } catch (IOException e) {
                // Then what is above it.
            }
        }
        return whole.normalize();
    }
}

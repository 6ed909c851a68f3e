package dev.sallyport.workspace;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/// Finds git's directories and other files of interest in a workspace: every `.git`, and every
/// directory that git takes for a repository when somebody enters it. Level by level, so that many
/// files somewhere below do not keep it from the rest. Links are not followed.
final class TriggerSearch {
    static final int ENTRIES_MAX = 200_000;
    static final Duration TIME_MAX = Duration.ofSeconds(5);
    private static final int REPOSITORIES_MAX = 1_000;
    private static final int FILES_MAX = 2_000;

    /// Below a `.git` these are not searched: git enters nothing there unless something else names
    /// it. Elsewhere a directory of such a name is one like any other, whatever lies beside it.
    private static final Set<String> STORES = Set.of("objects", "refs", "logs", "lfs");

    private final Path root;
    private final HostGit host;
    private final int entriesMax;
    private final long deadlineNanos = System.nanoTime() + TIME_MAX.toNanos();
    private final Deque<Path> waiting = new ArrayDeque<>();

    /// Directory of a repository, to the directories in which git uses it.
    private final Map<Path, Set<Path>> repositories = new TreeMap<>();

    private final Set<Path> gitFiles = new LinkedHashSet<>();
    private final Set<Path> links = new LinkedHashSet<>();
    private final Set<Path> stores = new HashSet<>();
    private final List<Path> attributes = new ArrayList<>();
    private final List<Path> modules = new ArrayList<>();
    private final Map<Path, Trigger.Kind> others = new TreeMap<>();
    private int entries;
    private boolean partial;

    private TriggerSearch(Path root, HostGit host, int entriesMax) {
        this.root = root;
        this.host = host;
        this.entriesMax = entriesMax;
    }

    static TriggerSearch in(Path root, HostGit host, int entriesMax) {
        TriggerSearch search = new TriggerSearch(root, host, entriesMax);
        search.lookAtOwn(root.resolve(".git"));
        search.waiting.add(root);
        while (!search.waiting.isEmpty() && search.mayGoOn()) {
            search.look(search.waiting.removeFirst());
        }
        search.partial |= !search.waiting.isEmpty();
        return search;
    }

    Map<Path, Set<Path>> repositories() {
        return repositories;
    }

    /// `.git` where it is a file or a link.
    Set<Path> gitFiles() {
        return gitFiles;
    }

    /// Links into a directory that sandboxes write to and nobody searches.
    List<Path> links() {
        return links.stream()
                .filter(link -> host.target(link).filter(this::isUnsearched).isPresent())
                .toList();
    }

    /// What is not there yet may become a directory.
    private boolean isUnsearched(Path target) {
        return host.leadsToHomes(target) || (isInStore(target) && !Files.isRegularFile(target));
    }

    List<Path> attributes() {
        return attributes;
    }

    /// `.gitmodules`.
    List<Path> modules() {
        return modules;
    }

    Map<Path, Trigger.Kind> others() {
        return others;
    }

    /// Whether something was not looked at.
    boolean isPartial() {
        return partial;
    }

    private boolean mayGoOn() {
        return entries <= entriesMax && System.nanoTime() - deadlineNanos < 0;
    }

    /// The workspace's own repository, before everything that has a limit.
    private void lookAtOwn(Path git) {
        if (Files.isDirectory(git, LinkOption.NOFOLLOW_LINKS)) {
            add(git, root);
        } else if (FileState.isThere(git)) {
            note(git);
        }
    }

    private void look(Path directory) {
        Set<String> names = new HashSet<>();
        List<Path> below = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                if (++entries > entriesMax) {
                    partial = true;
                    break;
                }
                names.add(file.getFileName().toString());
                if (Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS)) {
                    below.add(file);
                } else {
                    note(file);
                }
            }
        } catch (NoSuchFileException e) {
            // Then the person's git cannot go there either.
        } catch (AccessDeniedException e) {
            unlisted(directory);
        } catch (IOException | DirectoryIteratorException e) {
            partial = true;
        }
        boolean repository = isRepository(names);
        if (repository) {
            add(directory, directory.endsWith(".git") ? directory.resolveSibling("") : directory);
        }
        for (Path child : below) {
            boolean store = STORES.contains(child.getFileName().toString()) && isBelowGit(child);
            if (repository && store) {
                stores.add(child);
            } else {
                waiting.add(child);
            }
        }
    }

    private boolean isBelowGit(Path path) {
        for (Path at = path.getParent(); at != null && at.startsWith(root); at = at.getParent()) {
            if (at.endsWith(".git")) {
                return true;
            }
        }
        return false;
    }

    /// Whether it lies where nothing is looked for.
    boolean isInStore(Path path) {
        for (Path at = path; at != null && at.startsWith(root); at = at.getParent()) {
            if (stores.contains(at)) {
                return true;
            }
        }
        return false;
    }

    /// Git uses a directory that it may enter, also when nobody can list what is in it.
    private void unlisted(Path directory) {
        if (Files.isExecutable(directory)) {
            partial = true;
            other(directory, Trigger.Kind.OPENS);
            if (directory.endsWith(".git")) {
                add(directory, directory.resolveSibling(""));
            }
        }
    }

    /// As git decides it; what is missing in one can be in another that `commondir` names.
    private static boolean isRepository(Set<String> names) {
        return names.contains("HEAD")
                && (names.contains("commondir")
                        || (names.contains("objects") && names.contains("refs")));
    }

    private void note(Path file) {
        if (Files.isSymbolicLink(file)
                && host.target(file)
                        .filter(at -> host.leadsToHomes(at) || isBelowGit(at))
                        .isPresent()) {
            links.add(file);
        }
        switch (file.getFileName().toString()) {
            case ".git" -> {
                gitFiles.add(file);
                target(file).ifPresent(directory -> add(directory, file.resolveSibling("")));
            }
            case ".gitattributes" -> attributes.add(file);
            case ".gitmodules" -> modules.add(file);
            default -> {
                TriggerNames.kind(root.relativize(file)).ifPresent(kind -> other(file, kind));
            }
        }
    }

    private void other(Path file, Trigger.Kind kind) {
        if (others.size() < FILES_MAX) {
            others.put(file, kind);
        } else {
            partial = true;
        }
    }

    /// Where a `.git` leads that is not the repository itself, when that is in the workspace.
    Optional<Path> target(Path git) {
        if (Files.isSymbolicLink(git) && Files.isDirectory(git)) {
            return GitFiles.inside(root, git.getParent(), ".git");
        }
        return GitFiles.led(git)
                .flatMap(name -> GitFiles.directoryInside(root, git.getParent(), name));
    }

    /// Also those that it borrows from.
    private void add(Path repository, Path usedIn) {
        Deque<Use> uses = new ArrayDeque<>(List.of(new Use(repository, usedIn)));
        while (!uses.isEmpty()) {
            Use use = uses.removeFirst();
            if (repositories.size() >= REPOSITORIES_MAX) {
                partial = true;
                return;
            }
            if (repositories.computeIfAbsent(use.repository, _ -> new TreeSet<>()).add(use.in)) {
                uses.addAll(lenders(use));
            }
        }
    }

    private List<Use> lenders(Use use) {
        List<Use> lenders = new ArrayList<>();
        GitFiles.path(use.repository.resolve("commondir"))
                .flatMap(name -> GitFiles.directoryInside(root, use.repository, name))
                .ifPresent(common -> lenders.add(new Use(common, use.in)));
        Path objects = use.repository.resolve("objects");
        GitFiles.text(objects.resolve("info/alternates")).stream()
                .flatMap(String::lines)
                .limit(REPOSITORIES_MAX)
                .forEach(
                        line ->
                                GitFiles.inside(root, objects, line)
                                        .map(Path::getParent)
                                        .filter(path -> path.startsWith(root))
                                        .ifPresent(path -> lenders.add(new Use(path, path))));
        return lenders;
    }

    private record Use(Path repository, Path in) {}
}

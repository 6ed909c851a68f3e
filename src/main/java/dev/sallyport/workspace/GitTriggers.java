package dev.sallyport.workspace;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Reads what git reads in the repositories of a workspace and finds what makes it run programs:
/// `gitrepository-layout`, `git-config`, `gitattributes` and `githooks` of git's documentation say
/// where. Git itself is never run on it (G17).
final class GitTriggers {
    private static final int HOOKS_MAX = 2_000;
    private static final int HOOKS_DEPTH_MAX = 3;
    private static final int CONFIGS_MAX = 4_000;
    private static final int LOOKS_MAX = 200_000;

    /// Lines of a rebase under way that `git rebase --continue` hands to a shell.
    private static final Pattern EXEC = Pattern.compile("\\s*(exec|x)\\s.*", Pattern.DOTALL);

    /// Git's own ways to merge; another one is a program, `git-merge-` and its name.
    private static final Set<String> STRATEGIES =
            Set.of("octopus", "ort", "ours", "recursive", "resolve", "subtree");

    private static final char NOT_UTF_8 = '\ufffd';

    private static final String MACRO = "[attr]";
    private static final String MACRO_WORDS = "\\[attr]|\\s";

    private final Path root;
    private final HostGit host;
    private final TriggerSearch search;
    private final FileState state;
    private final FoundTriggers found;
    private final Set<Path> configs = new LinkedHashSet<>();
    private final Set<String> drivers = new TreeSet<>();
    private final Set<Path> attributes = new LinkedHashSet<>();

    /// Repositories whose objects have ids of 32 bytes.
    private final Set<Path> longIds = new LinkedHashSet<>();

    private boolean asksLenders;
    private boolean partial;
    private int hooks;
    private int looks;

    GitTriggers(Path root, TriggerSearch search, FileState state, HostGit host) {
        this.root = root;
        this.host = host;
        this.state = state;
        this.search = search;
        found = new FoundTriggers(root, state);
        attributes.addAll(search.attributes());
        // What the workspace's own git reads comes first: much else may not keep us from it.
        Map<Path, Set<Path>> own = new TreeMap<>(search.repositories());
        own.values().removeIf(in -> !in.contains(root));
        Map<Path, Set<Path>> others = new TreeMap<>(search.repositories());
        others.keySet().removeAll(own.keySet());
        own.forEach(this::configs);
        host.around(root).forEach(this::around);
        search.repositories().values().stream()
                .flatMap(Set::stream)
                .distinct()
                .forEach(place -> host.own().forEach(entry -> follow(entry, Set.of(place))));
        own.keySet().forEach(this::repository);
        others.forEach(this::configs);
        search.modules().forEach(file -> config(file, Set.of(root)));
        search.gitFiles().forEach(this::gitFile);
        search.links().forEach(link -> found.put(link, Trigger.Kind.GIT, Set.of()));
        others.keySet().forEach(this::repository);
        attributes();
    }

    Map<Path, Trigger> found() {
        return found.found();
    }

    /// Whether something was not looked at.
    boolean isPartial() {
        return partial || found.isPartial();
    }

    private void configs(Path repository, Set<Path> places) {
        config(repository.resolve("config"), places);
        config(repository.resolve("config.worktree"), places);
    }

    /// A repository outside has the workspace, or a part of it, as its work tree.
    private void around(Path place, List<GitConfigText.Entry> entries) {
        for (GitConfigText.Entry entry : entries) {
            follow(entry, Set.of(place));
            if (GitDanger.isDriver(entry)) {
                drivers.add(entry.subsection());
            }
        }
    }

    private void repository(Path repository) {
        commondir(repository);
        hooks(repository.resolve("hooks"));
        place(repository, "info").ifPresent(in -> attributes.add(in.resolve("attributes")));
        place(repository, "rebase-merge")
                .ifPresent(
                        in -> {
                            found.some(in.resolve("git-rebase-todo"), EXEC.asMatchPredicate());
                            found.some(in.resolve("strategy"), line -> !STRATEGIES.contains(line));
                        });
        place(repository, "sequencer").ifPresent(in -> options(in.resolve("opts")));
        place(repository, "remotes").ifPresent(this::remotes);
        place(repository, "branches").ifPresent(this::remotes);
        place(repository, "objects/info").ifPresent(in -> alternates(in.resolve("alternates")));
        index(repository);
    }

    /// It can be split in two.
    private void index(Path repository) {
        try (DirectoryStream<Path> files =
                Files.newDirectoryStream(repository, "{index,sharedindex.*}")) {
            Path common =
                    GitFiles.path(repository.resolve("commondir"))
                            .flatMap(name -> GitFiles.directoryInside(root, repository, name))
                            .orElse(repository);
            for (Path file : files) {
                found.index(file, longIds.contains(common) ? 32 : 20);
            }
        } catch (IOException | DirectoryIteratorException e) {
            partial = true;
        }
    }

    /// A directory of a repository in which git finds what it runs. A link in its place counts, and
    /// is looked through as far as the workspace goes.
    private Optional<Path> place(Path repository, String name) {
        Path directory = repository.resolve(name);
        if (Files.isSymbolicLink(directory)) {
            found.put(directory, Trigger.Kind.GIT, Set.of());
        }
        return GitFiles.inside(root, repository, name);
    }

    private void alternates(Path file) {
        if (FileState.isThere(file)) {
            found.put(
                    file,
                    asksLenders ? Trigger.Kind.GIT : Trigger.Kind.OPENS,
                    found.lines(file, _ -> true));
        }
    }

    /// A `.git` that leads out of the workspace, or by a link, counts as such. Where a file leads
    /// within, the repository there is looked at like any other.
    private void gitFile(Path file) {
        boolean leadsOut = Files.isSymbolicLink(file) || search.target(file).isEmpty();
        found.put(file, Trigger.Kind.GIT, leadsOut ? Set.of(found.linkOrText(file)) : Set.of());
    }

    /// That of a worktree leads to its repository, which is looked at.
    private void commondir(Path repository) {
        Path file = repository.resolve("commondir");
        if (!FileState.isThere(file)) {
            return;
        }
        Path parent = repository.getParent();
        boolean usual =
                GitFiles.path(file).equals(Optional.of("../.."))
                        && parent != null
                        && parent.endsWith("worktrees");
        found.put(file, Trigger.Kind.GIT, usual ? Set.of() : Set.of(found.linkOrText(file)));
    }

    /// Also what it includes.
    private void config(Path first, Set<Path> places) {
        Deque<Path> waiting = new ArrayDeque<>(List.of(first));
        while (!waiting.isEmpty()) {
            Path file = waiting.removeFirst();
            if (!FileState.isThere(file) || configs.contains(file)) {
                continue;
            }
            if (configs.size() >= CONFIGS_MAX) {
                partial = true;
                return;
            }
            configs.add(file);
            Set<String> marks = new TreeSet<>();
            for (GitConfigText.Entry entry : entries(file, marks)) {
                entry(entry, file, places).ifPresent(marks::add);
                if (entry.section().startsWith("include") && entry.key().equals("path")) {
                    found.inside(file.getParent(), entry.value()).ifPresent(waiting::add);
                }
            }
            found.put(file, Trigger.Kind.CONFIG, marks);
        }
    }

    /// What of an entry counts.
    private Optional<String> entry(GitConfigText.Entry entry, Path file, Set<Path> places) {
        follow(entry, places);
        if (GitDanger.isDriver(entry)) {
            drivers.add(entry.subsection());
        }
        if (entry.key().equals("objectformat") && entry.value().equals("sha256")) {
            longIds.add(file.resolveSibling(""));
        }
        // An alias can be any command with any options, and many of them run a program.
        boolean counts =
                GitDanger.of(entry, file, root).isPresent()
                        || entry.section().equals("alias")
                        || leadsToUnsearched(entry, places);
        return counts
                ? Optional.of(WorkspaceCredentials.name(entry) + " = " + exact(entry, file))
                : Optional.empty();
    }

    /// Values that are not UTF-8 look alike to us.
    private String exact(GitConfigText.Entry entry, Path file) {
        boolean unclear = entry.value().indexOf(NOT_UTF_8) >= 0;
        return unclear ? entry.value() + " in " + state.of(file) : entry.value();
    }

    /// Whether it makes git use a repository where nobody looks: in a sandbox's home, or among what
    /// a repository stores. A push runs the hooks that are in it.
    private boolean leadsToUnsearched(GitConfigText.Entry entry, Set<Path> places) {
        return switch (entry.section() + "." + entry.key()) {
            case "remote.url",
                    "remote.pushurl",
                    "remote.pushdefault",
                    "branch.remote",
                    "branch.pushremote",
                    "submodule.gitdir" ->
                    places.stream()
                            .flatMap(at -> host.local(at, entry.value()).stream())
                            .anyMatch(path -> host.isInHomes(path) || search.isInStore(path));
            // What is behind the beginning that it replaces can lead anywhere.
            case "url.insteadof", "url.pushinsteadof" -> HostGit.beginsLocal(entry.subsection());
            default -> false;
        };
    }

    /// What cannot be read as git does counts as a whole.
    private List<GitConfigText.Entry> entries(Path file, Set<String> marks) {
        Optional<String> text = found.text(file);
        try {
            if (text.isPresent()) {
                return GitConfigText.parse(text.get()).stream()
                        .flatMap(GitConfigText.Entry::readings)
                        .toList();
            }
        } catch (GitConfigText.MalformedException e) {
            // As below.
        }
        marks.add(found.unreadable(file));
        return List.of();
    }

    /// The files of the workspace that an entry makes git run or obey.
    private void follow(GitConfigText.Entry entry, Set<Path> places) {
        if (!GitDanger.runs(entry)) {
            return;
        }
        asksLenders |= entry.key().equals("alternaterefscommand");
        for (Path place : places) {
            for (String word : GitDanger.words(entry)) {
                if (!mayLook()) {
                    return;
                }
                found.inside(place, word)
                        .filter(path -> !path.equals(root))
                        .ifPresent(path -> obeyed(entry.key(), path));
            }
        }
    }

    private boolean mayLook() {
        partial |= ++looks > LOOKS_MAX;
        return looks <= LOOKS_MAX;
    }

    private void obeyed(String key, Path path) {
        switch (key) {
            case "attributesfile" -> attributes.add(path);
            case "hookspath" -> {
                hooks(path);
                Path parent = path.getParent();
                if (path.endsWith("_") && parent != null && parent.endsWith(".husky")) {
                    hooks(parent);
                }
            }
            default -> {
                if (Files.isRegularFile(path)) {
                    found.put(path, Trigger.Kind.GIT, Set.of(state.of(path)));
                }
            }
        }
    }

    private void hooks(Path directory) {
        if (Files.isSymbolicLink(directory)) {
            found.put(directory, Trigger.Kind.GIT, Set.of(found.linkOrText(directory)));
        }
        Optional<Path> real = GitFiles.inside(root, directory, ".");
        if (real.isEmpty() || !Files.isDirectory(real.get())) {
            return;
        }
        try (Stream<Path> files = Files.walk(real.get(), HOOKS_DEPTH_MAX)) {
            List<Path> all =
                    files.filter(file -> !Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS))
                            .filter(file -> !isIdle(file, real.get()))
                            .limit(HOOKS_MAX)
                            .toList();
            hooks += all.size();
            if (hooks >= HOOKS_MAX) {
                found.put(directory, Trigger.Kind.GIT, Set.of("too many files"));
            } else {
                all.forEach(file -> found.put(file, Trigger.Kind.GIT, Set.of(state.of(file))));
            }
        } catch (IOException | UncheckedIOException e) {
            found.put(directory, Trigger.Kind.GIT, Set.of("unreadable"));
        }
    }

    /// Whether git runs no hook of such a name. Below the directory somebody's hook may.
    private static boolean isIdle(Path file, Path hooks) {
        String name = file.getFileName().toString();
        return hooks.equals(file.getParent())
                && (name.endsWith(".sample") || name.contains(Aside.BESIDE));
    }

    /// It is written like configuration.
    private void options(Path file) {
        if (!FileState.isThere(file)) {
            return;
        }
        Set<String> marks = new TreeSet<>();
        for (GitConfigText.Entry entry : entries(file, marks)) {
            if (entry.key().equals("strategy") && !STRATEGIES.contains(entry.value())) {
                marks.add(entry.value());
            }
        }
        found.put(file, Trigger.Kind.GIT, marks);
    }

    /// An old way to write remotes down, which can lead anywhere.
    private void remotes(Path directory) {
        if (!Files.isDirectory(directory)) {
            return;
        }
        try (Stream<Path> files = Files.list(directory)) {
            List<Path> all = files.limit(HOOKS_MAX).toList();
            if (all.size() >= HOOKS_MAX) {
                found.put(directory, Trigger.Kind.GIT, Set.of("too many files"));
            } else {
                all.forEach(file -> found.some(file, _ -> true));
            }
        } catch (IOException | UncheckedIOException e) {
            found.put(directory, Trigger.Kind.GIT, Set.of("unreadable"));
        }
    }

    /// Attributes attach drivers to files. Those that the repository's configuration defines count;
    /// others are the person's own, or nobody's. A macro may stand for any of them.
    private void attributes() {
        Set<String> names = new TreeSet<>();
        for (String driver : drivers) {
            List.of("filter", "diff", "merge").forEach(kind -> names.add(kind + "=" + driver));
        }
        Predicate<String> attaches =
                line -> Arrays.stream(line.split("\\s+", -1)).anyMatch(names::contains);
        List<Path> there = attributes.stream().filter(FileState::isThere).toList();
        if (!names.isEmpty()) {
            for (Path file : there) {
                found.lines(file, line -> line.contains(MACRO))
                        .forEach(line -> names.add(line.split(MACRO_WORDS, 3)[1]));
            }
        }
        there.forEach(file -> found.put(file, Trigger.Kind.GIT, found.lines(file, attaches)));
    }
}

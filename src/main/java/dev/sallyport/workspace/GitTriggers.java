package dev.sallyport.workspace;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Reads what git reads in the repositories of a workspace and finds what makes it run programs:
/// `gitrepository-layout`, `git-config`, `gitattributes` and `githooks` of git's documentation say
/// where. Git itself is never run on it (G17).
final class GitTriggers {
    private static final int HOOKS_MAX = 2_000;
    private static final int HOOKS_DEPTH_MAX = 3;
    private static final int CONFIGS_MAX = 4_000;

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
    private final Map<Path, Trigger> found = new TreeMap<>();
    private final Set<Path> configs = new LinkedHashSet<>();
    private final Set<String> drivers = new TreeSet<>();
    private final Set<Path> attributes = new LinkedHashSet<>();
    private boolean asksLenders;
    private boolean partial;
    private int hooks;

    GitTriggers(Path root, TriggerSearch search, FileState state, HostGit host) {
        this.root = root;
        this.host = host;
        this.state = state;
        this.search = search;
        attributes.addAll(search.attributes());
        search.gitFiles().forEach(this::gitFile);
        // What the workspace's own git reads comes first: much else may not keep us from it.
        search.repositories().forEach((git, in) -> configs(git, in, in.contains(root)));
        search.repositories().forEach((git, in) -> configs(git, in, !in.contains(root)));
        search.modules().forEach(file -> config(file, Set.of(root)));
        search.repositories().values().stream()
                .flatMap(Set::stream)
                .distinct()
                .forEach(place -> host.own().forEach(entry -> follow(entry, Set.of(place))));
        host.around(root).forEach(this::around);
        search.links().forEach(link -> put(link, Trigger.Kind.GIT, Set.of()));
        search.repositories().keySet().forEach(this::repository);
        attributes();
    }

    Map<Path, Trigger> found() {
        return found;
    }

    /// Whether something was not looked at.
    boolean isPartial() {
        return partial;
    }

    private void configs(Path repository, Set<Path> places, boolean now) {
        if (now) {
            config(repository.resolve("config"), places);
            config(repository.resolve("config.worktree"), places);
        }
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
                            some(in.resolve("git-rebase-todo"), EXEC.asMatchPredicate());
                            some(in.resolve("strategy"), line -> !STRATEGIES.contains(line));
                        });
        place(repository, "sequencer").ifPresent(in -> options(in.resolve("opts")));
        place(repository, "remotes").ifPresent(this::remotes);
        place(repository, "branches").ifPresent(this::remotes);
        place(repository, "objects/info").ifPresent(in -> alternates(in.resolve("alternates")));
    }

    /// A directory of a repository in which git finds what it runs. A link in its place counts, and
    /// is looked through as far as the workspace goes.
    private Optional<Path> place(Path repository, String name) {
        Path directory = repository.resolve(name);
        if (Files.isSymbolicLink(directory)) {
            put(directory, Trigger.Kind.GIT, Set.of());
        }
        return GitFiles.inside(root, repository, name);
    }

    private void alternates(Path file) {
        if (FileState.isThere(file)) {
            put(file, asksLenders ? Trigger.Kind.GIT : Trigger.Kind.OPENS, lines(file, _ -> true));
        }
    }

    /// A `.git` that leads out of the workspace, or by a link, counts as such. Where a file leads
    /// within, the repository there is looked at like any other.
    private void gitFile(Path file) {
        boolean leadsOut = Files.isSymbolicLink(file) || search.target(file).isEmpty();
        put(file, Trigger.Kind.GIT, leadsOut ? Set.of(linkOrText(file)) : Set.of());
    }

    private String linkOrText(Path file) {
        try {
            return Files.isSymbolicLink(file)
                    ? "link " + Files.readSymbolicLink(file)
                    : GitFiles.exact(file).orElse(state.of(file));
        } catch (IOException e) {
            return "unreadable";
        }
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
        put(file, Trigger.Kind.GIT, usual ? Set.of() : Set.of(linkOrText(file)));
    }

    private void config(Path file, Set<Path> places) {
        if (!FileState.isThere(file) || configs.contains(file)) {
            return;
        }
        if (configs.size() >= CONFIGS_MAX) {
            partial = true;
            return;
        }
        configs.add(file);
        Set<String> marks = new TreeSet<>();
        for (GitConfigText.Entry entry : entries(file, marks)) {
            GitDanger.of(entry, file, root)
                    .ifPresent(danger -> marks.add(danger.key() + " = " + exact(entry, file)));
            if (isAlias(entry) || leadsToUnsearched(entry, places)) {
                marks.add(WorkspaceCredentials.name(entry) + " = " + exact(entry, file));
            }
            follow(entry, places);
            if (entry.section().startsWith("include") && entry.key().equals("path")) {
                GitFiles.inside(root, file.getParent(), entry.value())
                        .ifPresent(included -> config(included, places));
            }
            if (GitDanger.isDriver(entry)) {
                drivers.add(entry.subsection());
            }
        }
        put(file, Trigger.Kind.CONFIG, marks);
    }

    /// Values that are not UTF-8 look alike to us.
    private String exact(GitConfigText.Entry entry, Path file) {
        boolean unclear = entry.value().indexOf(NOT_UTF_8) >= 0;
        return unclear ? entry.value() + " in " + state.of(file) : entry.value();
    }

    /// An alias can be any command with any options, and many of them run a program.
    private static boolean isAlias(GitConfigText.Entry entry) {
        return entry.section().equals("alias");
    }

    /// Whether it makes git use a repository where nobody looks: in a sandbox's home, or among what
    /// a repository stores. A push runs the hooks that are in it.
    private boolean leadsToUnsearched(GitConfigText.Entry entry, Set<Path> places) {
        return switch (entry.section() + "." + entry.key()) {
            case "remote.url",
                    "remote.pushurl",
                    "remote.pushdefault",
                    "branch.remote",
                    "branch.pushremote" ->
                    places.stream()
                            .flatMap(at -> host.local(at, entry.value()).stream())
                            .anyMatch(path -> host.isInHomes(path) || search.isInStore(path));
            // What is behind the beginning that it replaces can lead anywhere.
            case "url.insteadof", "url.pushinsteadof" ->
                    HostGit.isLocal(entry.subsection()) && !entry.subsection().isEmpty();
            default -> false;
        };
    }

    /// What cannot be read as git does counts as a whole.
    private List<GitConfigText.Entry> entries(Path file, Set<String> marks) {
        Optional<String> text = GitFiles.text(file);
        try {
            if (text.isPresent()) {
                return GitConfigText.parse(text.get());
            }
        } catch (GitConfigText.MalformedException e) {
            // As below.
        }
        marks.add("unreadable = " + state.of(file));
        return List.of();
    }

    /// The files of the workspace that an entry makes git run or obey.
    private void follow(GitConfigText.Entry entry, Set<Path> places) {
        if (!GitDanger.runs(entry)) {
            return;
        }
        asksLenders |= entry.key().equals("alternaterefscommand");
        for (Path place : places) {
            for (String word : words(entry)) {
                GitFiles.inside(root, place, word)
                        .filter(path -> !path.equals(root))
                        .ifPresent(path -> obeyed(entry.key(), path));
            }
        }
    }

    private static List<String> words(GitConfigText.Entry entry) {
        boolean whole = entry.key().equals("hookspath") || entry.key().equals("attributesfile");
        return whole
                ? List.of(entry.value())
                : Arrays.stream(entry.value().split("[\\s'\"!;&|()<>]+", -1))
                        .filter(word -> word.contains("/") || word.contains("."))
                        .toList();
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
                    put(path, Trigger.Kind.GIT, Set.of(state.of(path)));
                }
            }
        }
    }

    private void hooks(Path directory) {
        if (Files.isSymbolicLink(directory)) {
            put(directory, Trigger.Kind.GIT, Set.of(linkOrText(directory)));
        }
        Optional<Path> real = GitFiles.inside(root, directory, ".");
        if (real.isEmpty() || !Files.isDirectory(real.get())) {
            return;
        }
        try (Stream<Path> files = Files.walk(real.get(), HOOKS_DEPTH_MAX)) {
            List<Path> all =
                    files.filter(file -> !Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS))
                            .filter(file -> !file.toString().endsWith(".sample"))
                            .filter(file -> !isBeside(file))
                            .limit(HOOKS_MAX)
                            .toList();
            hooks += all.size();
            if (hooks >= HOOKS_MAX) {
                put(directory, Trigger.Kind.GIT, Set.of("too many files"));
            } else {
                all.forEach(file -> put(file, Trigger.Kind.GIT, Set.of(state.of(file))));
            }
        } catch (IOException | UncheckedIOException e) {
            put(directory, Trigger.Kind.GIT, Set.of("unreadable"));
        }
    }

    private static boolean isBeside(Path file) {
        return file.getFileName().toString().contains(Aside.BESIDE);
    }

    private void some(Path file, Predicate<String> counts) {
        if (FileState.isThere(file)) {
            put(file, Trigger.Kind.GIT, lines(file, counts));
        }
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
        put(file, Trigger.Kind.GIT, marks);
    }

    /// An old way to write remotes down, which can lead anywhere.
    private void remotes(Path directory) {
        if (!Files.isDirectory(directory)) {
            return;
        }
        try (Stream<Path> files = Files.list(directory)) {
            List<Path> all = files.limit(HOOKS_MAX).toList();
            if (all.size() >= HOOKS_MAX) {
                put(directory, Trigger.Kind.GIT, Set.of("too many files"));
            } else {
                all.forEach(file -> some(file, _ -> true));
            }
        } catch (IOException | UncheckedIOException e) {
            put(directory, Trigger.Kind.GIT, Set.of("unreadable"));
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
                lines(file, line -> line.contains(MACRO))
                        .forEach(line -> names.add(line.split(MACRO_WORDS, 3)[1]));
            }
        }
        there.forEach(file -> put(file, Trigger.Kind.GIT, lines(file, attaches)));
    }

    /// A file that is too large to be read counts as a whole.
    private Set<String> lines(Path file, Predicate<String> counts) {
        return GitFiles.text(file)
                .map(text -> text.lines().map(String::strip).filter(counts))
                .orElseGet(() -> Stream.of("unreadable = " + state.of(file)))
                .collect(Collectors.toSet());
    }

    /// A link counts whatever it leads to.
    private void put(Path file, Trigger.Kind kind, Set<String> marks) {
        Set<String> all = new TreeSet<>(marks);
        if (Files.isSymbolicLink(file)) {
            all.add(linkOrText(file));
        }
        Optional.ofNullable(found.get(file)).ifPresent(other -> all.addAll(other.marks()));
        found.put(file, new Trigger(kind, all, state.original(root, file)));
    }
}

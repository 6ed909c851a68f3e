package dev.sallyport.workspace;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/// The files of a workspace, or of a writable mount, that make the host do something without being
/// asked: git's configuration and hooks, and what editors, shells, agents and builds run (I7). As
/// they were at one moment.
///
/// @param key which directory it was, whatever has its name by now
/// @param found relative to the root
/// @param partial whether something was not looked at
public record TriggerFiles(Path root, String key, Map<Path, Trigger> found, boolean partial) {
    /// What became of one file.
    ///
    /// @param fresh the marks that were not there before; empty when the file is gone
    public record Change(Path path, Trigger.Kind kind, Set<String> fresh) {}

    public static TriggerFiles of(Path root, HostGit host) {
        return of(root, host, TriggerSearch.ENTRIES_MAX);
    }

    static TriggerFiles of(Path root, HostGit host, int entriesMax) {
        TriggerSearch search = TriggerSearch.in(root, host, entriesMax);
        FileState others = new FileState();
        Map<Path, Trigger> found = new TreeMap<>();
        search.others()
                .forEach(
                        (file, kind) ->
                                found.put(
                                        root.relativize(file),
                                        new Trigger(
                                                kind, Set.of(others.of(file)), Optional.empty())));
        GitTriggers git = new GitTriggers(root, search, new FileState(), host);
        git.found().forEach((file, trigger) -> found.put(root.relativize(file), trigger));
        return new TriggerFiles(root, key(root), found, search.isPartial() || git.isPartial());
    }

    private static String key(Path root) {
        try {
            return String.valueOf(Files.readAttributes(root, BasicFileAttributes.class).fileKey());
        } catch (IOException e) {
            return "none";
        }
    }

    public Optional<Trigger> at(Path path) {
        return Optional.ofNullable(found.get(path));
    }

    /// The same as if nothing had been there that git runs, for what a sandbox has made: none of
    /// that is the person's.
    public TriggerFiles withoutGits() {
        Map<Path, Trigger> others = new TreeMap<>(found);
        others.values().removeIf(trigger -> trigger.isGits() && !trigger.marks().isEmpty());
        return new TriggerFiles(root, key, others, partial);
    }

    /// What is there later and was not here, and what is gone.
    public List<Change> changesTo(TriggerFiles later) {
        List<Change> changes = new ArrayList<>();
        later.found.forEach(
                (path, trigger) -> {
                    Set<String> fresh = trigger.since(at(path));
                    if (!fresh.isEmpty()) {
                        changes.add(new Change(path, trigger.kind(), fresh));
                    }
                });
        found.forEach(
                (path, trigger) -> {
                    if (isMissed(trigger) && !FileState.isThere(root.resolve(path))) {
                        changes.add(new Change(path, trigger.kind(), Set.of()));
                    }
                });
        return changes;
    }

    /// The entries of configuration that was there before which now make git fetch or push
    /// elsewhere, by their names.
    public Map<Path, Set<String>> remotesChangedIn(TriggerFiles later) {
        Map<Path, Set<String>> changed = new TreeMap<>();
        later.found.forEach(
                (path, now) -> {
                    Optional<Trigger> before =
                            at(path).filter(known -> known.kind() == Trigger.Kind.CONFIG);
                    if (before.isPresent() && now.original().isPresent()) {
                        // What is not known any more may have been anything.
                        Trigger.Original earlier =
                                before.get().original().orElse(Trigger.Original.EMPTY);
                        changed.put(path, Remotes.changed(earlier, now.original().get()));
                    }
                });
        changed.values().removeIf(Set::isEmpty);
        return changed;
    }

    /// A hook that is gone, for one, can be a check that no longer happens.
    private static boolean isMissed(Trigger trigger) {
        return trigger.kind() != Trigger.Kind.CONFIG && !trigger.marks().isEmpty();
    }
}

package dev.sallyport.cli;

import dev.sallyport.config.Home;
import dev.sallyport.sandbox.ShellWords;
import dev.sallyport.workspace.Aside;
import dev.sallyport.workspace.HostGit;
import dev.sallyport.workspace.PathGroups;
import dev.sallyport.workspace.Trigger;
import dev.sallyport.workspace.TriggerBaseline;
import dev.sallyport.workspace.TriggerFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;

/// What a sandbox can write to, from one moment to another: its workspace and its writable mounts.
final class TriggerWatch {
    private final ChangeNotice notice;
    private final Output output;
    private final Optional<TriggerBaseline> baseline;
    private List<TriggerFiles> before;

    private TriggerWatch(
            Output output,
            ChangeNotice notice,
            Optional<TriggerBaseline> baseline,
            List<TriggerFiles> before) {
        this.output = output;
        this.notice = notice;
        this.baseline = baseline;
        this.before = before;
    }

    /// @param session of a sandbox that stays
    static TriggerWatch now(Output output, boolean keep, List<Path> roots, Optional<String> session)
            throws IOException {
        Home home = Home.resolve(output.surroundings().environment());
        ChangeNotice notice = notice(output, home, keep);
        List<TriggerFiles> before = new ArrayList<>();
        for (Path root : roots) {
            if (Files.isDirectory(root)) {
                before.add(TriggerFiles.of(root.toRealPath(), notice.host()));
            }
        }
        return new TriggerWatch(
                output, notice, session.map(id -> new TriggerBaseline(home, id)), before);
    }

    /// For a directory that a sandbox has filled: its git may be an image's.
    TriggerWatch ofClone() {
        before = before.stream().map(TriggerFiles::withoutGits).toList();
        return this;
    }

    /// Empty when nobody has looked before.
    static Optional<TriggerWatch> known(Output output, boolean keep, String session)
            throws IOException {
        Home home = Home.resolve(output.surroundings().environment());
        TriggerBaseline baseline = new TriggerBaseline(home, session);
        return baseline.load()
                .map(
                        before ->
                                new TriggerWatch(
                                        output,
                                        notice(output, home, keep),
                                        Optional.of(baseline),
                                        before));
    }

    private static ChangeNotice notice(Output output, Home home, boolean keep) {
        HostGit host = HostGit.of(output.surroundings().environment(), home.homes());
        return new ChangeNotice(output, home, keep, host);
    }

    /// Tells what changed, moves aside what is to be moved, and remembers what there is now.
    void end() {
        before = before.stream().map(notice::give).toList();
        try {
            remember();
        } catch (IOException e) {
            output.warn("The state of the workspace cannot be saved: " + e.getMessage());
        }
    }

    /// The same, for a sandbox that is gone.
    void endForGood() throws IOException {
        end();
        forget();
    }

    /// The workspace is gone, too.
    void forget() throws IOException {
        if (baseline.isPresent()) {
            baseline.get().forget();
        }
    }

    void remember() throws IOException {
        if (baseline.isPresent()) {
            baseline.get().save(before);
        }
    }

    /// Looks, when a command in a sandbox has ended, at what it changed that this machine would act
    /// on. What git would run by itself is moved aside, and what was there before is put back; of
    /// the rest the person is told.
    ///
    /// @param home in which there is a directory for what is moved
    /// @param keep whether everything stays where it is
    record ChangeNotice(Output output, Home home, boolean keep, HostGit host) {
        private static final int SHOWN_MAX = 20;
        private static final DateTimeFormatter STAMP =
                DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss").withZone(ZoneOffset.UTC);

        /// Returns what there is when it is done.
        TriggerFiles give(TriggerFiles before) {
            TriggerFiles now = TriggerFiles.of(before.root(), host);
            List<TriggerFiles.Change> changes = before.changesTo(now);
            boolean moves = !keep && changes.stream().anyMatch(ChangeNotice::isMoved);
            if (moves) {
                Aside store = new Aside(home.aside().resolve(name()));
                // Configuration first: without it, other files may mean nothing to git.
                move(before, changes, Trigger.Kind.CONFIG, store);
                changes = before.changesTo(TriggerFiles.of(before.root(), host));
                move(before, changes, Trigger.Kind.GIT, store);
                now = TriggerFiles.of(before.root(), host);
                changes = before.changesTo(now);
            }
            report(before, now, changes);
            reportRemotes(before.remotesChangedIn(now));
            if (before.partial() || now.partial()) {
                output.warn(
                        before.root()
                                + " is too large, or cannot be listed in part, to search for all files that git, editors or builds on this machine run. Look for nested repositories before you use git there: find . -name .git -o -name HEAD");
            }
            return now;
        }

        private static boolean isMoved(TriggerFiles.Change change) {
            return change.kind() != Trigger.Kind.OPENS
                    && change.kind() != Trigger.Kind.BUILDS
                    && !change.fresh().isEmpty();
        }

        private static String name() {
            return STAMP.format(Instant.now()) + "-" + UUID.randomUUID().toString().substring(0, 8);
        }

        private void move(
                TriggerFiles before,
                List<TriggerFiles.Change> changes,
                Trigger.Kind kind,
                Aside store) {
            List<TriggerFiles.Change> moved =
                    changes.stream().filter(c -> c.kind() == kind && isMoved(c)).toList();
            for (TriggerFiles.Change change : moved) {
                move(before, change, store);
            }
        }

        private void move(TriggerFiles before, TriggerFiles.Change change, Aside store) {
            Path file = before.root().resolve(change.path());
            Optional<Trigger.Original> original =
                    before.at(change.path()).flatMap(Trigger::original);
            try {
                home.create(home.aside());
                Aside.Place place = store.take(before, change.path());
                output.warn(
                        "MOVED ASIDE: "
                                + what(file, change)
                                + (place.ours()
                                        ? ""
                                        : ". A process of the sandbox can still change it where it is now")
                                + original.map(it -> putBack(before, change.path(), it, store))
                                        .orElse("")
                                + ". To use the changed file, read it first, then run: "
                                + move(place.path(), file));
            } catch (IOException e) {
                output.warn(
                        "NOT MOVED: %s. It cannot be moved aside: %s. Remove it before you use git there."
                                .formatted(what(file, change), e.getMessage()));
            }
        }

        private static String what(Path file, TriggerFiles.Change change) {
            return file
                    + " changed in the sandbox and would change what git on this machine runs or how it connects"
                    + because(change);
        }

        private static String move(Path from, Path to) {
            return "mv -T " + ShellWords.quote(List.of(from.toString(), to.toString()));
        }

        private static String putBack(
                TriggerFiles before, Path path, Trigger.Original original, Aside store) {
            try {
                store.putBack(before, path, original);
                return ". The earlier file is back";
            } catch (IOException e) {
                String lost = ". The earlier file CANNOT BE PUT BACK: " + e.getMessage();
                try {
                    Path kept = store.keep(original);
                    return lost
                            + ". To put it back, run: "
                            + move(kept, before.root().resolve(path));
                } catch (IOException none) {
                    return lost + ", nor kept: " + none.getMessage();
                }
            }
        }

        private static String because(TriggerFiles.Change change) {
            String keys =
                    change.fresh().stream()
                            .filter(
                                    mark ->
                                            change.kind() == Trigger.Kind.CONFIG
                                                    && mark.contains(" = "))
                            .map(mark -> Printable.name(mark.substring(0, mark.indexOf(" = "))))
                            .limit(SHOWN_MAX)
                            .collect(Collectors.joining(", "));
            return keys.isEmpty() ? "" : " (" + keys + ")";
        }

        private void report(
                TriggerFiles before, TriggerFiles now, List<TriggerFiles.Change> changes) {
            List<String> gits = new ArrayList<>();
            List<String> others = new ArrayList<>();
            TreeSet<Path> known = new TreeSet<>();
            TreeSet<Path> fresh = new TreeSet<>();
            for (TriggerFiles.Change change : changes) {
                switch (change.kind()) {
                    case BUILDS ->
                            (before.at(change.path()).isPresent() ? known : fresh)
                                    .add(change.path());
                    case OPENS -> others.add(line(now, change));
                    case CONFIG, GIT -> gits.add(line(now, change));
                }
            }
            if (!gits.isEmpty() || !others.isEmpty()) {
                output.warn(
                        "CHANGED IN THE SANDBOX: files that git, editors or shells on this machine run or load automatically. Read them before you use git or open the directory:");
                // Each one that git would run is named, however many there are.
                gits.forEach(output::warn);
                others.stream().limit(SHOWN_MAX).forEach(output::warn);
                if (others.size() > SHOWN_MAX) {
                    output.warn("  and " + (others.size() - SHOWN_MAX) + " more");
                }
                if (Files.isDirectory(now.root())) {
                    new WorkspaceCheck(output, now.root()).warnOfDangers();
                }
            }
            if (!known.isEmpty() || !fresh.isEmpty()) {
                output.notice(
                        "Build files changed in the sandbox. They run when you build: "
                                + PathGroups.text(known, fresh));
            }
        }

        private void reportRemotes(Map<Path, Set<String>> changed) {
            String names =
                    changed.entrySet().stream()
                            .flatMap(
                                    file ->
                                            file.getValue().stream()
                                                    .map(
                                                            key ->
                                                                    Printable.name(key)
                                                                            + " in "
                                                                            + file.getKey()))
                            .limit(SHOWN_MAX)
                            .collect(Collectors.joining(", "));
            if (!names.isEmpty()) {
                output.notice(
                        "Remotes changed in the sandbox. They say where you fetch from and push to: "
                                + names);
            }
        }

        private static String line(TriggerFiles now, TriggerFiles.Change change) {
            String path = now.root().resolve(change.path()).toString();
            return (change.fresh().isEmpty() ? "  is gone: " : "  cat -v ")
                    + ShellWords.quote(List.of(path));
        }
    }
}

package dev.sallyport.cli;

import dev.sallyport.config.Home;
import dev.sallyport.workspace.GitConfigText;
import dev.sallyport.workspace.GitFiles;
import dev.sallyport.workspace.TriggerBaseline;
import dev.sallyport.workspace.TriggerFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

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
                before.add(TriggerFiles.of(root.toRealPath(), notice.own()));
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
        return new ChangeNotice(
                output, home, keep, ownEntries(output.surroundings().environment()));
    }

    /// The person's own git configuration; a relative path in it leads into every repository.
    private static List<GitConfigText.Entry> ownEntries(Map<String, String> environment) {
        String home = environment.getOrDefault("HOME", "/");
        String xdg = environment.getOrDefault("XDG_CONFIG_HOME", "");
        List<Path> files =
                environment.containsKey("GIT_CONFIG_GLOBAL")
                        ? List.of(Path.of(environment.get("GIT_CONFIG_GLOBAL")))
                        : List.of(
                                Path.of(home, ".gitconfig"),
                                Path.of(xdg.isEmpty() ? home + "/.config" : xdg, "git/config"));
        List<GitConfigText.Entry> entries = new ArrayList<>();
        for (Path file : files) {
            try {
                entries.addAll(GitConfigText.parse(GitFiles.text(file).orElse("")));
            } catch (GitConfigText.MalformedException e) {
                // Git refuses it, too, and says so.
            }
        }
        return entries;
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
}

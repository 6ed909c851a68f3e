package dev.sallyport.cli;

import dev.sallyport.sandbox.ShellWords;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedSet;

/// Tells the person, once a sandbox is gone, what it changed that this machine would act on by
/// itself.
record ChangeNotice(Output output, TriggerFiles before) {
    private static final int SHOWN_MAX = 20;

    void give() {
        SortedSet<String> changed = before.changed();
        if (changed.isEmpty()) {
            return;
        }
        output.warn(
                "CHANGED IN THE SANDBOX: files that git, editors or shells on this machine act on by themselves. Look at them before you use git or open the directory:");
        Path workspace = before.workspace();
        changed.stream()
                .limit(SHOWN_MAX)
                .map(path -> workspace.resolve(path).toString())
                .forEach(path -> output.warn("  cat -v " + ShellWords.quote(List.of(path))));
        if (changed.size() > SHOWN_MAX) {
            output.warn("  and " + (changed.size() - SHOWN_MAX) + " more");
        }
        new WorkspaceCheck(output, workspace).warnOfDangers();
    }
}

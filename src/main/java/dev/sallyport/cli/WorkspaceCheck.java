package dev.sallyport.cli;

import dev.sallyport.sandbox.ShellWords;
import dev.sallyport.workspace.GitConfigText;
import dev.sallyport.workspace.GitDanger;
import dev.sallyport.workspace.GitFiles;
import dev.sallyport.workspace.WorkspaceCredentials;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Looks at a workspace's git configuration before it is handed to a sandbox. An agent may have
/// written it, so git is never run on it.
record WorkspaceCheck(Output output, Path workspace) {
    /// @param allowed whether the person has said that credentials in it are all right
    void examine(boolean allowed) throws CliException {
        GitFiles files = new GitFiles(workspace);
        files.oddity().ifPresent(output::warn);
        Set<String> credentials = new LinkedHashSet<>();
        for (Path file : files.configurations()) {
            List<GitConfigText.Entry> entries = entries(file);
            for (String key : WorkspaceCredentials.keysIn(entries)) {
                credentials.add(Printable.name(key) + " in " + workspace.relativize(file));
            }
            warnOfDangers(file, entries);
        }
        requireNone(credentials, allowed);
    }

    /// What there is by now that would run on this machine.
    void warnOfDangers() {
        GitFiles files = new GitFiles(workspace);
        files.oddity().ifPresent(output::warn);
        files.configurations().forEach(file -> warnOfDangers(file, entries(file)));
    }

    private List<GitConfigText.Entry> entries(Path file) {
        Optional<String> text = GitFiles.text(file);
        try {
            if (text.isPresent()) {
                return GitConfigText.parse(text.get());
            }
            output.warn(workspace.relativize(file) + " cannot be read and was not checked.");
        } catch (GitConfigText.MalformedException e) {
            output.warn(
                    workspace.relativize(file) + " was not checked: its " + e.getMessage() + ".");
        }
        return List.of();
    }

    private void warnOfDangers(Path file, List<GitConfigText.Entry> entries) {
        Set<GitDanger> dangers = new LinkedHashSet<>();
        entries.forEach(entry -> GitDanger.of(entry, file, workspace).ifPresent(dangers::add));
        for (GitDanger danger : dangers) {
            output.warn(
                    "%s has %s: it %s on this machine, outside every sandbox, when you use git here. If you did not add it, remove it: %s"
                            .formatted(
                                    workspace.relativize(file),
                                    Printable.name(danger.key()),
                                    danger.why(),
                                    remedy(file.toString(), danger.key())));
        }
    }

    private static String remedy(String file, String key) {
        return Printable.isShort(key)
                ? "git -C / config --file "
                        + ShellWords.quote(List.of(file))
                        + " --unset-all "
                        + ShellWords.quote(List.of(key))
                : "edit " + ShellWords.quote(List.of(file));
    }

    private void requireNone(Set<String> credentials, boolean allowed) throws CliException {
        if (credentials.isEmpty()) {
            return;
        }
        String what =
                "The workspace's git configuration holds a credential ("
                        + String.join(", ", new ArrayList<>(credentials))
                        + ") that the sandbox could read.";
        if (allowed) {
            output.warn(what);
            return;
        }
        throw ExitCode.REFUSED.because(
                "workspace-credential",
                what,
                "Remove it (git remote set-url origin https://HOST/OWNER/NAME.git), store it with"
                        + " sallyport secret set, and revoke it if a sandbox has already seen it."
                        + " Or continue with --allow-workspace-credentials.");
    }
}

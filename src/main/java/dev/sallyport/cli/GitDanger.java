package dev.sallyport.cli;

import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/// An entry of git's configuration that makes git on the host run a program, or read what lies
/// elsewhere, when a person next uses it in the workspace (I7). An agent can write such entries.
///
/// @param key as git names it, without its value
/// @param why what it does, to follow "it"
record GitDanger(String key, String why) {
    private static final String RUNS = "names a program that git runs";

    /// Written `section.key` or `section.*.key`, lower case.
    private static final Set<String> PROGRAMS =
            Set.of(
                    "core.sshcommand",
                    "core.fsmonitor",
                    "core.hookspath",
                    "core.pager",
                    "core.editor",
                    "core.askpass",
                    "core.gitproxy",
                    "core.alternaterefscommand",
                    "sequence.editor",
                    "credential.helper",
                    "credential.*.helper",
                    "filter.*.clean",
                    "filter.*.smudge",
                    "filter.*.process",
                    "diff.external",
                    "diff.*.command",
                    "diff.*.textconv",
                    "difftool.*.cmd",
                    "difftool.*.path",
                    "interactive.difffilter",
                    "merge.*.driver",
                    "mergetool.*.cmd",
                    "mergetool.*.path",
                    "gpg.program",
                    "gpg.*.program",
                    "gpg.*.defaultkeycommand",
                    "remote.*.receivepack",
                    "remote.*.uploadpack",
                    "remote.*.vcs",
                    "trailer.*.cmd",
                    "trailer.*.command",
                    "uploadpack.packobjectshook",
                    "man.*.cmd",
                    "browser.*.cmd");

    private static final Pattern OFF = Pattern.compile("(?i)false|no|off|0|");

    static Optional<GitDanger> of(GitConfigText.Entry entry, Path workspace) {
        return why(entry, workspace)
                .map(why -> new GitDanger(WorkspaceCredentials.name(entry), why));
    }

    private static Optional<String> why(GitConfigText.Entry entry, Path workspace) {
        String section = entry.section();
        boolean switchedOff =
                section.equals("core")
                        && entry.key().equals("fsmonitor")
                        && OFF.matcher(entry.value()).matches();
        if (PROGRAMS.contains(pattern(entry)) && !switchedOff) {
            return Optional.of(RUNS);
        }
        boolean command = entry.value().startsWith("!");
        if (section.equals("alias") && command) {
            return Optional.of(RUNS);
        }
        if (section.equals("pager") && !OFF.matcher(entry.value()).matches()) {
            return Optional.of(RUNS);
        }
        if (section.equals("submodule") && entry.key().equals("update") && command) {
            return Optional.of(RUNS);
        }
        if (section.equals("protocol") && entry.key().equals("allow")) {
            return Optional.of("lets git use other kinds of remotes, which can run programs");
        }
        boolean include = section.equals("include") || section.equals("includeif");
        return include && entry.key().equals("path") && leadsOut(entry.value(), workspace)
                ? Optional.of("reads configuration from outside the workspace")
                : include ? Optional.of("reads further configuration") : Optional.empty();
    }

    private static boolean leadsOut(String value, Path workspace) {
        return value.startsWith("~")
                || !workspace.resolve(".git").resolve(value).normalize().startsWith(workspace);
    }

    private static String pattern(GitConfigText.Entry entry) {
        return entry.section() + (entry.subsection().isEmpty() ? "." : ".*.") + entry.key();
    }
}

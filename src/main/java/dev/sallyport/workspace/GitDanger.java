package dev.sallyport.workspace;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// An entry of git's configuration that makes git on the host run a program, or read or write what
/// lies elsewhere, when a person next uses it in the workspace (I7). An agent can write such
/// entries.
///
/// @param key as git names it, without its value
/// @param why what it does, to follow "it"
public record GitDanger(String key, String why) {
    private static final String RUNS = "names a program that git runs";
    private static final String TRANSPORT =
            "lets git use other kinds of remotes, which can run programs";

    /// Written `section.key` or `section.*.key`, lower case; from the documentation of git and of
    /// Git LFS.
    private static final Set<String> PROGRAMS =
            Set.of(
                    "core.sshcommand",
                    "core.fsmonitor",
                    "core.hookspath",
                    "core.pager",
                    "core.editor",
                    "core.askpass",
                    "core.attributesfile",
                    "core.gitproxy",
                    "core.alternaterefscommand",
                    "attr.tree",
                    "sequence.editor",
                    "credential.helper",
                    "credential.*.helper",
                    "delta.*.pager",
                    "filter.*.clean",
                    "filter.*.smudge",
                    "filter.*.process",
                    "diff.external",
                    "diff.*.command",
                    "diff.*.textconv",
                    "difftool.*.cmd",
                    "difftool.*.path",
                    "gc.recentobjectshook",
                    "guitool.*.cmd",
                    "hook.*.command",
                    "imap.tunnel",
                    "init.templatedir",
                    "instaweb.httpd",
                    "instaweb.modulepath",
                    "interactive.difffilter",
                    "lfs.*.clean",
                    "lfs.*.path",
                    "lfs.*.smudge",
                    "merge.*.driver",
                    "mergetool.*.cmd",
                    "mergetool.*.layout",
                    "mergetool.*.path",
                    "gpg.program",
                    "gpg.*.program",
                    "gpg.*.defaultkeycommand",
                    "remote.*.receivepack",
                    "remote.*.uploadpack",
                    "remote.*.vcs",
                    "sendemail.*.sendmailcmd",
                    "sendemail.*.smtpserver",
                    "sendemail.*.smtpserveroption",
                    "sendemail.*.tocmd",
                    "sendemail.*.cccmd",
                    "sendemail.*.headercmd",
                    "svn.authorsprog",
                    "svn.configdir",
                    "tar.*.command",
                    "trailer.*.cmd",
                    "trailer.*.command",
                    "uploadpack.packobjectshook",
                    "man.*.cmd",
                    "man.*.path",
                    "browser.*.cmd",
                    "browser.*.path");

    /// Of `http`, besides all that begins with `proxy` or `ssl`.
    private static final Set<String> CONNECTIONS =
            Set.of("cookiefile", "curloptresolve", "delegation", "extraheader");

    private static final String CONNECTS = "changes how git connects to servers";

    private static final Pattern OFF = Pattern.compile("(?i)false|no|off|0|");

    /// What `git lfs install` writes: a program of the host's, found as every other.
    private static final Pattern LFS =
            Pattern.compile(
                    "git-lfs (clean|smudge( --skip)?) -- %f|git-lfs filter-process( --skip)?");

    /// An alias of a git command that runs what its options say.
    private static final Pattern RUNNING_ALIAS =
            Pattern.compile(
                    "!.*|.*(exec|extcmd|tool|pager|-pack).*|(.*\\s)?-[A-Za-z]*[xOc].*",
                    Pattern.DOTALL);

    private static final Pattern OPTION_IN_WORDS = Pattern.compile("(.*\\s)?-.*", Pattern.DOTALL);

    /// Keys whose values can be URLs of remotes.
    private static final Pattern REMOTE = Pattern.compile(".*url|pushdefault|(push)?remote");

    private static final Pattern HELPER_URL =
            Pattern.compile("[A-Za-z0-9+.-]+::.*", Pattern.DOTALL);

    /// What makes a setting dangerous, if anything does.
    ///
    /// @param file in which the entry is
    public static Optional<GitDanger> of(GitConfigText.Entry entry, Path file, Path workspace) {
        return why(entry, file, workspace)
                .map(why -> new GitDanger(WorkspaceCredentials.name(entry), why));
    }

    /// Whether its value is, or begins with, the path of a program or of a directory of programs.
    static boolean runs(GitConfigText.Entry entry) {
        String value = entry.value();
        return switch (entry.section()) {
            case "alias" -> RUNNING_ALIAS.matcher(value).matches();
            case "pager" -> !isOff(value);
            case "submodule" -> entry.key().equals("update") && value.startsWith("!");
            case "core" -> namesProgram(entry) && !isSwitchedOff(entry);
            // A line end in it begins another instruction.
            case "rebase" -> entry.key().equals("instructionformat") && value.contains("%");
            // Git hands the names of remotes on to itself, where this is an option.
            case "remote" -> entry.subsection().startsWith("-") || namesProgram(entry);
            case "remotes" -> OPTION_IN_WORDS.matcher(value).matches();
            case "diff", "merge" -> namesProgram(entry) || isToolByPath(entry);
            case "filter" -> namesProgram(entry) && !LFS.matcher(value).matches();
            case "tig" -> entry.subsection().equals("bind") || entry.key().equals("diff-highlight");
            default -> namesProgram(entry);
        };
    }

    /// The name of a tool is that of a script, which git looks for beside its own.
    private static boolean isToolByPath(GitConfigText.Entry entry) {
        return entry.subsection().isEmpty()
                && Set.of("tool", "guitool").contains(entry.key())
                && entry.value().contains("/");
    }

    /// Whether it defines a driver, which an attributes file can attach to files.
    static boolean isDriver(GitConfigText.Entry entry) {
        return Set.of("filter", "diff", "merge").contains(entry.section())
                && runs(entry)
                && !isToolByPath(entry);
    }

    private static Optional<String> why(GitConfigText.Entry entry, Path file, Path workspace) {
        if (runs(entry)) {
            return Optional.of(RUNS);
        }
        return switch (entry.section()) {
            case "protocol" -> when(entry.key().equals("allow"), TRANSPORT);
            case "http" ->
                    entry.key().equals("savecookies")
                            ? when(
                                    !isOff(entry.value()),
                                    "lets git write what a server sends to a file")
                            : when(connects(entry), CONNECTS);
            case "remote", "submodule", "branch" ->
                    entry.key().startsWith("proxy")
                            ? Optional.of(CONNECTS)
                            : when(
                                    REMOTE.matcher(entry.key()).matches()
                                            && HELPER_URL.matcher(entry.value()).matches(),
                                    TRANSPORT);
            // What follows the beginning that it replaces can be the rest of such a URL.
            case "url" ->
                    when(
                            HELPER_URL.matcher(entry.subsection()).matches()
                                    || "ext::".startsWith(entry.subsection()),
                            TRANSPORT);
            case "core" ->
                    when(
                            entry.key().equals("worktree")
                                    && leadsOut(entry.value(), file, workspace),
                            "lets git write its files outside the workspace");
            case "include", "includeif" ->
                    Optional.of(
                            leadsOut(entry.value(), file, workspace)
                                    ? "reads configuration from outside the workspace"
                                    : "reads further configuration");
            default -> Optional.empty();
        };
    }

    /// A check of certificates that is on is what git does anyway.
    private static boolean connects(GitConfigText.Entry entry) {
        return switch (entry.key()) {
            case "sslverify" -> isOff(entry.value());
            case "emptyauth" -> !isOff(entry.value());
            default ->
                    CONNECTIONS.contains(entry.key())
                            || entry.key().startsWith("proxy")
                            || entry.key().startsWith("ssl");
        };
    }

    private static Optional<String> when(boolean holds, String why) {
        return holds ? Optional.of(why) : Optional.empty();
    }

    /// As git reads what is true or false.
    static boolean isOff(String value) {
        return OFF.matcher(value).matches();
    }

    private static boolean isSwitchedOff(GitConfigText.Entry entry) {
        return entry.key().equals("fsmonitor") && isOff(entry.value());
    }

    private static boolean leadsOut(String value, Path file, Path workspace) {
        return value.startsWith("~")
                || GitFiles.inside(workspace, file.getParent(), value).isEmpty();
    }

    /// An empty subsection is a name like any other: `filter=` attaches the driver `[filter ""]`.
    private static boolean namesProgram(GitConfigText.Entry entry) {
        return PROGRAMS.contains(entry.section() + ".*." + entry.key())
                || (entry.subsection().isEmpty()
                        && PROGRAMS.contains(entry.section() + "." + entry.key()));
    }

    /// What of a value can be the name of a file.
    static List<String> words(GitConfigText.Entry entry) {
        boolean whole = entry.key().equals("hookspath") || entry.key().equals("attributesfile");
        return whole
                ? List.of(entry.value())
                : Arrays.stream(entry.value().split("[\\s'\"!;&|()<>=$`]+", -1))
                        .flatMap(GitDanger::withoutOption)
                        .toList();
    }

    /// As in `-O./program`.
    private static Stream<String> withoutOption(String word) {
        return word.startsWith("-") && word.length() > 2
                ? Stream.of(word, word.substring(2))
                : Stream.of(word);
    }
}

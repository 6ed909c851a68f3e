package dev.sallyport.cli;

import dev.sallyport.config.GrantText;
import dev.sallyport.config.Home;
import dev.sallyport.control.Api;
import dev.sallyport.control.ControlException;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.RefName;
import dev.sallyport.policy.RefPattern;
import dev.sallyport.policy.RepoName;
import dev.sallyport.sandbox.ForeignTree;
import dev.sallyport.sandbox.SandboxException;
import dev.sallyport.sandbox.ShellWords;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// A clone that a sandbox works in. Git runs in the sandbox alone, where whatever the repository
/// and the agent have put there does no harm.
final class ClonedWorkspace {
    private static final Duration CLONE_MAX = Duration.ofHours(1);
    private static final Duration CHECK_MAX = Duration.ofMinutes(1);

    /// Takes URL, branch and starting branch (or nothing), and reads the directory of shared
    /// objects (or nothing), which the gateway fills meanwhile.
    private static final String CLONE =
            """
            exec 2>&1
            command -v git >/dev/null || { echo 'There is no git in the sandbox.'; exit 1; }
            IFS= read -r shared || exit 1
            export GIT_TERMINAL_PROMPT=0
            set_up='-c push.default=current -c push.autoSetupRemote=true'
            if [ -n "$shared" ] && git --git-dir="$shared" rev-parse -q --verify HEAD >/dev/null; then
                git -c protocol.file.allow=always clone -q --shared --no-checkout $set_up -- "$shared" . &&
                    git remote set-url origin "$1" || exit 1
            else
                git clone -q --no-checkout $set_up ${shared:+--reference "$shared"} -- "$1" . || exit 1
            fi
            if [ -n "$3" ]; then
                base=refs/remotes/origin/$3
                git rev-parse -q --verify "$base^{commit}" >/dev/null ||
                    { echo "There is no branch $3 in the repository."; exit 1; }
            else
                base=refs/remotes/origin/HEAD
                if ! git rev-parse -q --verify "$base^{commit}" >/dev/null; then
                    [ -z "$(git for-each-ref --count=1 refs/remotes/origin)" ] ||
                        { echo 'The repository has no default branch; choose one with --branch.'; exit 1; }
                    git symbolic-ref HEAD "refs/heads/$2"
                    exit
                fi
            fi
            git -c checkout.workers=0 checkout -q --no-track -B "$2" "$base"
            """;

    /// Says `clean` when upstream has all that is here. A git that was killed has not said so, and
    /// no setting hides what is new. Tags are left out: upstream's need not lie on a branch.
    static final String EXAMINE =
            """
            changed=$(git -c core.fsmonitor=false status --porcelain --untracked-files=normal --ignore-submodules=none 2>&1) &&
                [ -z "$changed" ] &&
                unpushed=$(git rev-list -n 1 --exclude='refs/tags/*' --all --not --remotes 2>&1) &&
                [ -z "$unpushed" ] && echo clean
            """;

    /// What is cloned.
    ///
    /// @param grant as the person wrote it after `--clone`
    /// @param start the branch to begin with
    record Source(RepoName repo, String grant, Optional<String> start) {}

    /// A sandbox that commands can be run in.
    interface Inside {
        Api.Shared share(Api.Share request) throws ControlException;

        Api.ExecAnswer exec(Api.ExecCommand command) throws ControlException;
    }

    private final Output output;
    private final Source source;
    private final Path directory;
    private final Thread undoing;

    ClonedWorkspace(Output output, Source source, Path directory) {
        this.output = output;
        this.source = source;
        this.directory = directory;
        this.undoing = Thread.ofPlatform().unstarted(() -> remove(directory));
        Runtime.getRuntime().addShutdownHook(undoing);
    }

    Path directory() {
        return directory;
    }

    /// The clone's, the sandbox's, and of its branch all but `agent/`.
    String name() {
        return String.valueOf(directory.getFileName());
    }

    String grant() {
        return source.grant();
    }

    /// Nothing is left of a clone that did not come about.
    void abandon() {
        remove(directory);
        settled();
    }

    /// From now on it may hold somebody's work.
    private void settled() {
        try {
            Runtime.getRuntime().removeShutdownHook(undoing);
        } catch (IllegalStateException _) {
            // We are ending already, and it goes.
        }
    }

    /// Clones into the sandbox that was made for it.
    void fill(Inside sandbox, Api.SandboxView view)
            throws IOException, ControlException, CliException {
        RepoName repo = source.repo();
        String name = repo.host() + "/" + repo.owner() + "/" + repo.name();
        output.progress("cloning " + name);
        String branch = branch(view.repos());
        Captured.Outcome cloned;
        try (Waiting waiting = output.waiting("cloning " + name)) {
            waiting.asking(output.wardens().progress(name));
            String start = source.start().orElse("");
            cloned =
                    Captured.outcome(
                            sandbox.exec(shell(CLONE, "https://" + name, branch, start)),
                            CLONE_MAX,
                            () -> {
                                Api.Shared objects = sandbox.share(new Api.Share(name));
                                waiting.at("git is at work in the sandbox");
                                return objects.shared() ? objects.directory().orElse("") : "";
                            });
        }
        if (cloned.status() != 0) {
            throw ExitCode.UNAVAILABLE.because(
                    "not-cloned",
                    "The repository " + name + " was not cloned.\n" + cloned.text().strip(),
                    "See what was denied: sallyport audit show --denied");
        }
        settled();
        output.progress("on the new branch " + branch);
    }

    private static Api.ExecCommand shell(String script, String... arguments) {
        List<String> words = new ArrayList<>(List.of("/bin/sh", "-c", script, "sallyport"));
        words.addAll(List.of(arguments));
        return new Api.ExecCommand(words, false, Optional.empty(), Map.of());
    }

    /// One that the rules let the sandbox push, if there is one.
    private String branch(List<GrantText> grants) {
        String usual = "agent/" + name();
        List<String> patterns = grants.isEmpty() ? List.of() : grants.getFirst().branches();
        List<String> names = new ArrayList<>(List.of(usual));
        patterns.forEach(pattern -> names.add(pattern.replace("**", "*").replace("*", name())));
        return names.stream().filter(each -> isAllowed(each, patterns)).findFirst().orElse(usual);
    }

    private static boolean isAllowed(String branch, List<String> patterns) {
        try {
            RefName ref = RefName.parse("refs/heads/" + branch);
            for (String pattern : patterns) {
                if (RefPattern.parse(pattern).matches(ref)) {
                    return true;
                }
            }
        } catch (MalformedNameException _) {
            // Then it is none.
        }
        return false;
    }

    /// Whether a sandbox's workspace is a clone of ours.
    static boolean isOne(Output output, Path workspace) throws IOException {
        Path clones = Home.resolve(output.surroundings().environment()).clones();
        return Files.isDirectory(clones) && clones.toRealPath().equals(workspace.getParent());
    }

    /// Asks inside whether upstream has all that is in the clone. No answer means no.
    static boolean isClean(Inside sandbox) {
        try {
            Captured.Outcome said = Captured.outcome(sandbox.exec(shell(EXAMINE)), CHECK_MAX);
            return said.text().equals("clean\n");
        } catch (IOException | ControlException e) {
            return false;
        }
    }

    /// Puts a clone that is not needed out of sight, while its sandbox is still there; with it goes
    /// what it shared.
    ///
    /// @return what is left to remove when the sandbox is gone
    static Path discard(Path directory) throws IOException {
        Path gone = directory.resolveSibling("." + directory.getFileName() + ".gone");
        // Of an earlier one of this name, when its removal was interrupted.
        remove(gone);
        return Files.move(directory, gone);
    }

    /// Says where the work is and what to do with it.
    static void tellKept(Output output, Path directory) {
        String quoted = ShellWords.quote(List.of(directory.toString()));
        output.notice(
                "The clone has work that is not upstream, or that could not be checked. It is in "
                        + directory);
        output.notice("  to look at it:   git -C " + quoted + " log --branches --not --remotes");
        output.notice(
                "  to get its commits, in your own clone:   git fetch "
                        + quoted
                        + " 'refs/heads/agent/*:refs/heads/agent/*'");
        output.notice("  to continue in it:   sallyport run --workspace " + quoted + " -- COMMAND");
        output.notice("  to remove it:   rm -rf " + quoted);
    }

    /// What is in it may be anything, and its sandbox may still be there.
    static void remove(Path directory) {
        try {
            new ForeignTree(directory).remove();
        } catch (SandboxException _) {
            // Its owner finds it where all clones are.
        }
    }
}

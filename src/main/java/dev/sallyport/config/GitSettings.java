package dev.sallyport.config;

import java.util.List;

/// How git is set up inside a sandbox: `sandbox:` of a policy file, the same of a trusted project
/// file, and options. None of it is a boundary: a process in the sandbox can set git up as it likes
/// and reaches no more.
///
/// @param rewrite whether URLs of git hosts lead to the front door
/// @param hooks whether the repository's own hooks run
/// @param localClones whether git may clone from a path of the file system
/// @param identity under whose name is committed
public record GitSettings(
        boolean rewrite, boolean hooks, boolean localClones, GitIdentity identity) {
    public static final GitSettings STANDARD =
            new GitSettings(true, false, false, GitIdentity.NONE);

    private static final String HOOKS = "git-hooks";
    private static final String LOCAL_CLONES = "git-local-clones";
    private static final String IDENTITY = "git-identity";

    static GitSettings read(YamlMapping sandbox) throws ConfigException {
        sandbox.requireOnly(List.of(HOOKS, LOCAL_CLONES, IDENTITY));
        return new GitSettings(
                true,
                sandbox.flag(HOOKS).orElse(false),
                sandbox.flag(LOCAL_CLONES).orElse(false),
                GitIdentity.read(sandbox.part(IDENTITY)));
    }

    /// What either turns on is on; an identity of the other one replaces this one's.
    public GitSettings and(GitSettings other) {
        return new GitSettings(
                rewrite && other.rewrite,
                hooks || other.hooks,
                localClones || other.localClones,
                identity.replacedBy(other.identity));
    }
}

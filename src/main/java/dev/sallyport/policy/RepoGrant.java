package dev.sallyport.policy;

/// One line of what a session may do with git.
///
/// @param api none when only some refs can be seen: an API shows them all
/// @param lfs objects have no refs, and are had by whoever knows the hash of their content
public record RepoGrant(
        RepoPattern repo,
        Access access,
        RefVisibility visible,
        PushRules push,
        MirrorUse mirror,
        ApiRules api,
        LfsRules lfs) {
    public RepoGrant {
        api = visible.isAll() ? api.atMost(access) : ApiRules.NONE;
        lfs = lfs.atMost(access);
    }

    /// Git alone.
    public RepoGrant(
            RepoPattern repo,
            Access access,
            RefVisibility visible,
            PushRules push,
            MirrorUse mirror) {
        this(repo, access, visible, push, mirror, ApiRules.NONE, LfsRules.NONE);
    }

    /// Git alone.
    public RepoGrant(RepoPattern repo, Access access, RefVisibility visible, PushRules push) {
        this(repo, access, visible, push, MirrorUse.AUTO);
    }

    public RepoGrant withApi(ApiRules rules) {
        return new RepoGrant(repo, access, visible, push, mirror, rules, lfs);
    }

    public RepoGrant withLfs(LfsRules rules) {
        return new RepoGrant(repo, access, visible, push, mirror, api, rules);
    }
}

package dev.sallyport.policy;

/// One line of what a session may do with git.
///
/// @param api none when only some refs can be seen: an API shows them all
public record RepoGrant(
        RepoPattern repo,
        Access access,
        RefVisibility visible,
        PushRules push,
        MirrorUse mirror,
        ApiRules api) {
    public RepoGrant {
        api = visible.isAll() ? api.atMost(access) : ApiRules.NONE;
    }

    /// Git alone.
    public RepoGrant(
            RepoPattern repo,
            Access access,
            RefVisibility visible,
            PushRules push,
            MirrorUse mirror) {
        this(repo, access, visible, push, mirror, ApiRules.NONE);
    }

    /// Git alone.
    public RepoGrant(RepoPattern repo, Access access, RefVisibility visible, PushRules push) {
        this(repo, access, visible, push, MirrorUse.AUTO);
    }

    public RepoGrant withApi(ApiRules rules) {
        return new RepoGrant(repo, access, visible, push, mirror, rules);
    }
}

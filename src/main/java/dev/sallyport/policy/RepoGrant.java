package dev.sallyport.policy;

/// One line of what a session may do with git.
public record RepoGrant(
        RepoPattern repo, Access access, RefVisibility visible, PushRules push, MirrorUse mirror) {
    public RepoGrant(RepoPattern repo, Access access, RefVisibility visible, PushRules push) {
        this(repo, access, visible, push, MirrorUse.AUTO);
    }
}

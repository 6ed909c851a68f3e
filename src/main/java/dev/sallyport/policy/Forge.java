package dev.sallyport.policy;

/// Whose API a git host speaks.
public enum Forge implements Word {
    GITHUB,
    GITLAB,
    /// Gitea and Forgejo, whose API is the same as far as sandboxes can use it.
    GITEA
}

package dev.sallyport.policy;

/// Proof that the policy allowed one request. Only [Policy] can make one; without it nothing is
/// dialled and no secret is revealed.
public final class Permit {
    private final SessionId session;
    private final RepoName repo;
    private final GitService service;
    private final RefVisibility visible;
    private final PushRules push;

    Permit(
            SessionId session,
            RepoName repo,
            GitService service,
            RefVisibility visible,
            PushRules push) {
        this.session = session;
        this.repo = repo;
        this.service = service;
        this.visible = visible;
        this.push = push;
    }

    public SessionId session() {
        return session;
    }

    /// The repository in the spelling of the grant, which is the one that goes upstream.
    public RepoName repo() {
        return repo;
    }

    public HostName host() {
        return repo.host();
    }

    public GitService service() {
        return service;
    }

    /// The refs that this session may see, whichever service it speaks.
    public RefVisibility visible() {
        return visible;
    }

    public PushRules push() {
        return push;
    }
}

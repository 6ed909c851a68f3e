package dev.sallyport.policy;

/// Proof that the policy allowed one service of one repository.
public final class GitPermit implements Permit {
    private final SessionId session;
    private final RepoName repo;
    private final GitService service;
    private final RefVisibility visible;
    private final PushRules push;
    private final MirrorUse mirror;

    GitPermit(
            SessionId session,
            RepoName repo,
            GitService service,
            RefVisibility visible,
            PushRules push,
            MirrorUse mirror) {
        this.session = session;
        this.repo = repo;
        this.service = service;
        this.visible = visible;
        this.push = push;
        this.mirror = mirror;
    }

    @Override
    public SessionId session() {
        return session;
    }

    /// The repository in the spelling of the grant, which is the one that goes upstream.
    public RepoName repo() {
        return repo;
    }

    @Override
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

    /// The same for fewer refs: those that vouch for what they reach. A push is judged by these and
    /// is shown no others, so that git sends whatever is not accepted yet.
    public GitPermit trustedOnly() {
        return new GitPermit(
                session, repo, service, visible.trusted(push.refsTrusted()), push, mirror);
    }

    /// Whether another one allows the same.
    public boolean isLike(GitPermit other) {
        return repo.equals(other.repo)
                && service == other.service
                && visible.equals(other.visible)
                && push.equals(other.push);
    }

    public PushRules push() {
        return push;
    }

    /// Whether a fetch may be answered from the local copy.
    public MirrorUse mirror() {
        return mirror;
    }
}

package dev.sallyport.policy;

/// Proof that the policy allowed one kind of operation with the API of one repository.
public final class ApiPermit implements Permit {
    private final SessionId session;
    private final RepoName repo;
    private final ApiOperation operation;
    private final RepoGrant grant;

    ApiPermit(SessionId session, RepoName repo, ApiOperation operation, RepoGrant grant) {
        this.session = session;
        this.repo = repo;
        this.operation = operation;
        this.grant = grant;
    }

    @Override
    public SessionId session() {
        return session;
    }

    /// The repository in the spelling of the grant, which is the one that goes upstream.
    public RepoName repo() {
        return repo;
    }

    /// The git host, whose credential is used. Its API may have another name: [ApiHost].
    @Override
    public HostName host() {
        return repo.host();
    }

    public ApiOperation operation() {
        return operation;
    }

    public ApiRules rules() {
        return grant.api();
    }

    /// What text that goes up is scanned by, as files of a push are.
    public SecretScan secrets() {
        return grant.push().content().secrets();
    }

    /// Whether this session could have pushed this branch: only then may it act on a pull request
    /// that comes from there.
    public boolean mayPush(RefName branch) {
        return grant.access() == Access.WRITE
                && branch.isBranch()
                && grant.visible().shows(branch)
                && grant.push().branches().stream().anyMatch(p -> p.matches(branch));
    }

    /// Whether another one allows the same.
    public boolean isLike(ApiPermit other) {
        return repo.equals(other.repo) && operation == other.operation && grant.equals(other.grant);
    }
}

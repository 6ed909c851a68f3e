package dev.sallyport.policy;

import java.util.Optional;
import java.util.Set;

/// Proof that the policy allowed one service of one repository.
public final class GitPermit implements Permit {
    private static final String GITHUB = "github.com";

    /// Where GitHub keeps the objects of Git LFS, as it names them in its answers and in its lists
    /// for firewalls.
    private static final Set<String> STORES_OF_GITHUB =
            Set.of(
                    "lfs.github.com",
                    "media.githubusercontent.com",
                    "github-cloud.githubusercontent.com",
                    "github-cloud.s3.amazonaws.com",
                    "objects.githubusercontent.com",
                    "objects-origin.githubusercontent.com");

    private final SessionId session;
    private final RepoName repo;
    private final GitService service;
    private final RepoGrant grant;
    private final RefVisibility visible;

    GitPermit(
            SessionId session,
            RepoName repo,
            GitService service,
            RepoGrant grant,
            RefVisibility visible) {
        this.session = session;
        this.repo = repo;
        this.service = service;
        this.grant = grant;
        this.visible = visible;
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
        return new GitPermit(session, repo, service, grant, visible.trusted(push().refsTrusted()));
    }

    /// Whether another one allows the same.
    public boolean isLike(GitPermit other) {
        return repo.equals(other.repo)
                && service == other.service
                && visible.equals(other.visible)
                && push().equals(other.push())
                && lfs().equals(other.lfs())
                && (service == GitService.UPLOAD_PACK || grant.api().equals(other.grant.api()));
    }

    /// What is granted of large files, if the permit is for these.
    public LfsRules lfs() {
        return grant.lfs();
    }

    /// Whether the git host may keep objects of Git LFS there: at itself; for github.com at those
    /// of the list, elsewhere at names below its own; and at those that the rules list. A host that
    /// answers with another name is not believed, so that whoever has taken it over cannot choose
    /// what the gateway dials.
    boolean keepsObjectsAt(HostName store) {
        boolean known =
                host().value().equals(GITHUB)
                        ? host().equals(store) || STORES_OF_GITHUB.contains(store.value())
                        : new HostPattern(HostPattern.Breadth.DOMAIN, host()).matches(store);
        return known || lfs().storage().stream().anyMatch(p -> p.matches(store));
    }

    /// What the same grant allows of the API of the repository, which options of a push can use as
    /// well; empty for what it does not.
    public Optional<ApiPermit> api(ApiOperation operation) {
        return grant.api().allows(operation)
                ? Optional.of(new ApiPermit(session, repo, operation, grant))
                : Optional.empty();
    }

    /// Whose API this repository has, if any of it is granted.
    public Optional<Forge> forge() {
        return grant.api().isNone() ? Optional.empty() : Optional.of(grant.api().forge());
    }

    public PushRules push() {
        return grant.push();
    }

    /// Whether a fetch may be answered from the local copy.
    public MirrorUse mirror() {
        return grant.mirror();
    }
}

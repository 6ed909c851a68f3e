package dev.sallyport.policy;

import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/// What one session may do: compiled once, never changed, asked by every door. Empty allows
/// nothing.
public final class Policy {
    private final SessionId session;
    private final List<RepoGrant> grants;
    private final String digest;

    public Policy(SessionId session, List<RepoGrant> grants) {
        this.session = session;
        this.grants = List.copyOf(grants);
        this.digest = PolicyDigest.of(this.grants);
    }

    /// May this session speak `service` with `repo` at all? The first grant that covers the
    /// repository decides, and its access settles the direction: a wider grant after it adds
    /// nothing.
    public Decision decide(RepoName repo, GitService service) {
        for (RepoGrant grant : grants) {
            Optional<RepoName> granted = grant.repo().match(repo);
            if (granted.isPresent()) {
                return decide(grant, granted.get(), service);
            }
        }
        return new Decision.Deny(Refusal.REPO_UNAVAILABLE);
    }

    private Decision decide(RepoGrant grant, RepoName repo, GitService service) {
        return grant.access().compareTo(service.needs()) >= 0
                ? new Decision.Allow(
                        new Permit(session, repo, service, grant.visible(), grant.push()))
                : new Decision.Deny(Refusal.REPO_UNAVAILABLE);
    }

    /// May this one command of a push, already permitted as a push, be carried out?
    public static Optional<Refusal> objection(Permit permit, RefUpdate update) {
        PushRules rules = permit.push();
        if (update.isDelete() && !rules.delete()) {
            return Optional.of(Refusal.DELETE_NOT_ALLOWED);
        }
        if (update.ref().isTag()) {
            return rules.tags() && permit.visible().shows(update.ref())
                    ? Optional.empty()
                    : Optional.of(Refusal.TAG_NOT_ALLOWED);
        }
        if (!permit.visible().shows(update.ref())) {
            return Optional.of(Refusal.REF_NOT_ALLOWED);
        }
        boolean named = rules.branches().stream().anyMatch(p -> p.matches(update.ref()));
        return named ? Optional.empty() : Optional.of(Refusal.REF_NOT_ALLOWED);
    }

    /// The git hosts that this session may know exist.
    public SortedSet<HostName> hosts() {
        SortedSet<HostName> hosts = new TreeSet<>();
        grants.forEach(grant -> hosts.add(grant.repo().host()));
        return hosts;
    }

    public List<RepoGrant> grants() {
        return grants;
    }

    /// SHA-256 over the canonical text of all rules; the same rules have the same digest in every
    /// session.
    public String digest() {
        return digest;
    }
}

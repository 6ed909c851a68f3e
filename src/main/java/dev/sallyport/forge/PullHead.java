package dev.sallyport.forge;

import dev.sallyport.policy.ApiPermit;
import dev.sallyport.policy.RefName;
import dev.sallyport.policy.RepoName;

/// Where a pull request comes from.
public record PullHead(RepoName repo, RefName branch) {
    /// May a session act on a pull request with this head? The one rule, for REST and for queries:
    /// it comes from the repository that the permit is for, and from a branch that this session
    /// could have pushed itself. Else the API would be a way around the rules for pushes (G16).
    public boolean isOwn(ApiPermit permit) {
        return repo.equals(permit.repo()) && permit.mayPush(branch);
    }
}

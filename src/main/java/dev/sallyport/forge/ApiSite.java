package dev.sallyport.forge;

import dev.sallyport.policy.ApiHost;
import dev.sallyport.policy.ApiOperation;
import dev.sallyport.policy.ApiPermit;
import dev.sallyport.policy.Decision;
import dev.sallyport.policy.Forge;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.RepoGrant;
import dev.sallyport.policy.RepoName;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The API of one git host that a session has repositories of.
///
/// @param git the git host
/// @param api where its API is
/// @param dialect how that is spoken
record ApiSite(HostName git, ApiHost api, Dialect dialect) {
    /// The one that is reached under this name, with the rights of now.
    static Optional<ApiSite> at(Policy policy, HostName connected) {
        for (Map.Entry<HostName, Forge> api : policy.apis().entrySet()) {
            ApiSite site = of(api.getKey(), Dialect.of(api.getValue()));
            if (site.api.name().equals(connected)) {
                return Optional.of(site);
            }
        }
        return Optional.empty();
    }

    private static ApiSite of(HostName git, Dialect dialect) {
        return new ApiSite(git, dialect.api(git), dialect);
    }

    /// Whether a path belongs to the API; beside it, most hosts serve git.
    boolean covers(String path) {
        return api.restRoot().isEmpty()
                || isForQueries(path)
                || path.equals(api.restRoot())
                || path.startsWith(api.restRoot() + "/");
    }

    boolean isForQueries(String path) {
        return path.equals(api.graphqlPath());
    }

    /// The repositories that are granted by name.
    List<RepoName> named(Policy policy) {
        return policy.grants().stream()
                .map(RepoGrant::repo)
                .filter(repo -> repo.host().equals(git) && !repo.isWildcard())
                .map(repo -> new RepoName(git, repo.owner(), repo.name().orElseThrow()))
                .toList();
    }

    /// A permit for whatever this session may do with a repository, if anything.
    static Optional<ApiPermit> any(Policy policy, RepoName repo) {
        return Arrays.stream(ApiOperation.values())
                .map(operation -> policy.decide(repo, operation))
                .flatMap(decision -> allowed(decision).stream())
                .findFirst();
    }

    static Optional<ApiPermit> allowed(Decision<ApiPermit> decision) {
        return decision instanceof Decision.Allow<ApiPermit>(ApiPermit permit)
                ? Optional.of(permit)
                : Optional.empty();
    }
}

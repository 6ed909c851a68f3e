package dev.sallyport.forge;

import dev.sallyport.policy.ApiHost;
import dev.sallyport.policy.ApiOperation;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.RepoName;
import java.util.List;
import java.util.Optional;

/// What a method and a path of the REST API ask for, without judging it; for whoever explains
/// rules.
///
/// @param operation empty for what can never be allowed
public record RestAsked(RepoName repo, Optional<ApiOperation> operation) {
    /// Empty when it is about no repository.
    ///
    /// @param host the git host
    /// @param path with the root of the API
    public static Optional<RestAsked> of(HostName host, String method, String path) {
        String root = ApiHost.of(host).restRoot();
        try {
            List<String> segments =
                    path.startsWith(root)
                            ? RestPath.parse(path.substring(root.length())).segments()
                            : List.of();
            if (segments.size() < 3 || !segments.getFirst().equals("repos")) {
                return Optional.empty();
            }
            RepoName repo = RepoName.of(host, segments.get(1), segments.get(2));
            List<String> below = segments.subList(3, segments.size());
            return Optional.of(
                    new RestAsked(
                            repo,
                            RestTable.find(method, below).map(match -> match.route().operation())));
        } catch (MalformedNameException _) {
            return Optional.empty();
        }
    }
}

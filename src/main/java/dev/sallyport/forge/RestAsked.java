package dev.sallyport.forge;

import dev.sallyport.policy.ApiOperation;
import dev.sallyport.policy.Forge;
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
    /// @param forge whose API it is
    /// @param host the git host
    /// @param path with the root of the API
    public static Optional<RestAsked> of(Forge forge, HostName host, String method, String path) {
        Dialect dialect = Dialect.of(forge);
        String root = dialect.api(host).restRoot();
        try {
            List<String> segments =
                    path.startsWith(root)
                            ? RestPath.parse(path.substring(root.length())).segments()
                            : List.of();
            return dialect.aim(host, segments)
                    .filter(Dialect.Aim.Named.class::isInstance)
                    .map(Dialect.Aim.Named.class::cast)
                    .map(aim -> of(dialect, method, aim));
        } catch (MalformedNameException _) {
            return Optional.empty();
        }
    }

    private static RestAsked of(Dialect dialect, String method, Dialect.Aim.Named aim) {
        return new RestAsked(
                aim.repo(),
                RestTable.find(dialect.routes(), method, aim.below())
                        .map(match -> match.route().operation()));
    }
}

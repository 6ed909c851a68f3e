package dev.sallyport.policy;

/// Where the API of a git host is, as `gh` and other clients find it from the host's name.
///
/// @param name what is connected to
/// @param restRoot what comes before the path of a REST call; empty or without a slash at its end
/// @param graphqlPath where queries are sent
public record ApiHost(HostName name, String restRoot, String graphqlPath) {
    private static final String GITHUB = "github.com";
    private static final String GITHUB_CLOUD = ".ghe.com";

    /// The API of github.com and of its tenants has a name of its own, every other one is below
    /// `/api` on the host itself.
    public static ApiHost of(HostName git) {
        boolean apart = git.value().equals(GITHUB) || git.value().endsWith(GITHUB_CLOUD);
        return apart
                ? new ApiHost(new HostName("api." + git.value()), "", "/graphql")
                : new ApiHost(git, "/api/v3", "/api/graphql");
    }
}

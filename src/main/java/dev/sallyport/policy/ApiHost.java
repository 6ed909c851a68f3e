package dev.sallyport.policy;

import java.util.regex.Pattern;

/// Where the API of a git host is, as `gh`, `glab` and other clients find it from the host's name,
/// and where it keeps what it does not serve itself.
///
/// @param name what is connected to
/// @param restRoot what comes before the path of a REST call; empty or without a slash at its end
/// @param graphqlPath where queries are sent; empty where nobody takes any
public record ApiHost(HostName name, String restRoot, String graphqlPath) {
    /// What clients in a sandbox send as their token. It is good for nothing, and has the form that
    /// makes them ask for no scopes; dots would make some take it for another kind.
    public static final String PLACEHOLDER = "ghs_sallyportplaceholder000000000000000";

    private static final String GITHUB = "github.com";
    private static final String GITHUB_CLOUD = ".ghe.com";

    private static final Pattern STORES =
            Pattern.compile(
                    "productionresultssa[0-9]{1,3}\\.blob\\.core\\.windows\\.net"
                            + "|([a-z0-9-]+\\.){1,3}actions\\.githubusercontent\\.com"
                            + "|codeload\\.github\\.com"
                            + "|(objects|release-assets)\\.githubusercontent\\.com");

    /// Of a host of this kind.
    public static ApiHost of(Forge forge, HostName git) {
        return switch (forge) {
            case GITHUB -> of(git);
            case GITLAB -> new ApiHost(git, "/api/v4", "/api/graphql");
            case GITEA -> new ApiHost(git, "/api/v1", "");
        };
    }

    /// The API of github.com and of its tenants has a name of its own, every other one is below
    /// `/api` on the host itself.
    public static ApiHost of(HostName git) {
        boolean apart = isUsual(git) || git.value().endsWith(GITHUB_CLOUD);
        return apart
                ? new ApiHost(new HostName("api." + git.value()), "", "/graphql")
                : new ApiHost(git, "/api/v3", "/api/graphql");
    }

    /// Whether clients ask this host when nobody names one.
    public static boolean isUsual(HostName git) {
        return git.value().equals(GITHUB);
    }

    /// Whether the API has a name of its own.
    public boolean isApart() {
        return restRoot.isEmpty();
    }

    /// Whether this is where the service keeps logs, artifacts and archives, by its own lists of
    /// hosts. Elsewhere it is the host itself and no other.
    boolean keepsFilesAt(HostName host) {
        return isApart() ? STORES.matcher(host.value()).matches() : host.equals(name);
    }
}

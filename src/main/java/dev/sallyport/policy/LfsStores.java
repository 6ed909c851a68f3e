package dev.sallyport.policy;

import java.util.Set;

/// Where a git host may keep the objects of Git LFS. A host that answers with another name is not
/// believed, so that whoever has taken it over cannot choose what the gateway dials.
final class LfsStores {
    private static final String GITHUB = "github.com";

    /// As GitHub names them in its answers and in its lists for firewalls.
    private static final Set<String> OF_GITHUB =
            Set.of(
                    "lfs.github.com",
                    "media.githubusercontent.com",
                    "github-cloud.githubusercontent.com",
                    "github-cloud.s3.amazonaws.com",
                    "objects.githubusercontent.com",
                    "objects-origin.githubusercontent.com");

    /// The host itself; for github.com those of the list, elsewhere names below its own; and those
    /// that the rules list.
    static boolean keeps(GitPermit permit, HostName store) {
        HostName git = permit.host();
        boolean known =
                git.value().equals(GITHUB)
                        ? git.equals(store) || OF_GITHUB.contains(store.value())
                        : new HostPattern(HostPattern.Breadth.DOMAIN, git).matches(store);
        return known || permit.lfs().storage().stream().anyMatch(p -> p.matches(store));
    }
}

package dev.sallyport.forge;

import dev.sallyport.policy.ApiHost;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.Parsing;
import dev.sallyport.policy.RepoName;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// An address of the API that lies in a repository, as answers have them.
///
/// @param repo empty when it is named by a number, or in a way that we do not take
/// @param below what stands behind the repository, without the slash; empty for itself
/// @param exact whether it is one of the API that was asked, without a query or a template
record RepoUrl(Optional<RepoName> repo, String below, boolean exact) {
    /// Loose about what comes before and behind: whatever looks like an address of a repository is
    /// one, and one that is not granted unless it names one that is.
    private static final Pattern FORM =
            Pattern.compile(
                    "https?://[^/?#]*(?:/api/v[0-9]+)?/(?:repos/(.*)|repositories/.*)",
                    Pattern.DOTALL);

    private static final Pattern NAMED =
            Pattern.compile("([^/?#{]+)/([^/?#{]+)(?:/([^?#{]*))?(?:[?#{].*)?", Pattern.DOTALL);

    /// An address of the API in a repository; empty for every other text.
    ///
    /// @param host the git host that was asked
    static Optional<RepoUrl> parse(HostName host, String text) {
        Matcher url = FORM.matcher(text);
        if (!url.matches()) {
            return Optional.empty();
        }
        Matcher named = NAMED.matcher(url.group(1) == null ? "" : url.group(1));
        if (!named.matches()) {
            return Optional.of(new RepoUrl(Optional.empty(), "", false));
        }
        String below = named.group(3) == null ? "" : named.group(3);
        ApiHost api = ApiHost.of(host);
        String root = "https://" + api.name() + api.restRoot() + "/repos/";
        boolean exact = text.startsWith(root) && text.endsWith(below);
        return Optional.of(new RepoUrl(name(host, named.group(1), named.group(2)), below, exact));
    }

    /// @param fullName `owner/name`
    static Optional<RepoName> named(HostName host, String fullName) {
        int slash = fullName.indexOf('/');
        return slash < 0
                ? Optional.empty()
                : name(host, fullName.substring(0, slash), fullName.substring(slash + 1));
    }

    static Optional<RepoName> name(HostName host, String owner, String name) {
        return Parsing.attempt(name, named -> RepoName.of(host, owner, named));
    }
}

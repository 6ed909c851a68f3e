package dev.sallyport.policy;

import java.util.List;
import java.util.Optional;

/// What the commits of a push may contain. Applies to every commit that is new to upstream.
///
/// @param pathsDenied no commit changes a path that one of these covers
/// @param pathsAllowed when present, commits change only paths that one of these covers; an empty
///   list allows none
/// @param authors when present, the addresses of author and committer match one of these; an empty
///   list allows none
public record ContentRules(
        List<PathPattern> pathsDenied,
        Optional<List<PathPattern>> pathsAllowed,
        long fileBytesMax,
        int commitsMax,
        SecretScan secrets,
        Optional<List<AddressPattern>> authors) {
    private static final long FILE_BYTES_MAX_DEFAULT = 100L << 20;
    private static final int COMMITS_MAX_DEFAULT = 10_000;

    /// Files that make a hosting service run code with its own secrets when they are pushed.
    private static final List<String> PATHS_DENIED_DEFAULT =
            List.of(
                    ".github/workflows/**",
                    ".github/actions/**",
                    ".gitea/workflows/**",
                    ".forgejo/workflows/**",
                    ".gitlab-ci.yml");

    public ContentRules {
        pathsDenied = List.copyOf(pathsDenied);
        pathsAllowed = pathsAllowed.map(List::copyOf);
        authors = authors.map(List::copyOf);
        if (fileBytesMax < 1 || commitsMax < 1) {
            throw new IllegalArgumentException("file-bytes-max and commits-max are at least 1");
        }
    }

    /// What holds when nobody says more.
    public static ContentRules standard() {
        return new ContentRules(
                PATHS_DENIED_DEFAULT.stream().map(PathPattern::of).toList(),
                Optional.empty(),
                FILE_BYTES_MAX_DEFAULT,
                COMMITS_MAX_DEFAULT,
                SecretScan.DENY,
                Optional.empty());
    }
}

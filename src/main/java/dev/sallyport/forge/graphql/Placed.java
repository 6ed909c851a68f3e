package dev.sallyport.forge.graphql;

import java.util.Optional;

/// Where a node id lies. An id names a thing and proves nothing (G23), so only what upstream said
/// about it counts.
public sealed interface Placed {
    record Repository(RepositoryView repository) implements Placed {}

    /// Whatever is written to it must be allowed by where its branch is.
    ///
    /// @param headRepository where its branch is; empty if that is not granted or not there any
    ///   more
    /// @param headBranch without `refs/heads/`
    record PullRequest(
            RepositoryView repository, Optional<RepositoryView> headRepository, String headBranch)
            implements Placed {}

    /// A discussion of a line, of a pull request.
    record Discussion(PullRequest pull) implements Placed {}

    record Issue(RepositoryView repository) implements Placed {}

    /// A user or a bot, who can be asked for a review.
    record Person(String login) implements Placed {}

    /// Several people, who can be asked for a review.
    ///
    /// @param name as `organization/slug`
    record Team(String name) implements Placed {}

    /// In a repository that is not granted, of another type, or nowhere: all the same to a session.
    record Elsewhere() implements Placed {}
}

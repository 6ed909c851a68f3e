package dev.sallyport.forge;

import dev.sallyport.policy.RepoName;
import java.util.Optional;

/// Is told what an answer says about granted repositories, and about nothing else.
public interface Learner {
    /// Whoever needs nothing.
    Learner NOBODY = new Learner() {};

    default void repository(RepoName repo, long id) {}

    default void pull(RepoName repo, long number, Optional<PullHead> head) {}

    /// A comment on a line, and the pull request that it is of.
    default void comment(RepoName repo, long comment, long pull) {}

    /// An id and what it stands for.
    ///
    /// @param type as the query language names it: `Repository`, `PullRequest`, `Issue`,
    ///   `IssueComment`
    default void node(String nodeId, String type, RepoName repo) {}
}

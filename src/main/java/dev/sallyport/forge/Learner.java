package dev.sallyport.forge;

import dev.sallyport.policy.RepoName;
import java.util.Optional;

/// Is told what an answer says about granted repositories, and about nothing else.
public interface Learner {
    /// Whoever needs nothing.
    Learner NOBODY =
            new Learner() {
                @Override
                public void repository(RepoName repo, long id) {}

                @Override
                public void pull(RepoName repo, long number, Optional<PullHead> head) {}

                @Override
                public void node(String nodeId, String type, RepoName repo) {}
            };

    void repository(RepoName repo, long id);

    void pull(RepoName repo, long number, Optional<PullHead> head);

    /// An id and what it stands for.
    ///
    /// @param type as the query language names it: `Repository`, `PullRequest`, `Issue`,
    ///   `IssueComment`
    void node(String nodeId, String type, RepoName repo);
}

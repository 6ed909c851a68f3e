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
                public void comment(RepoName repo, long comment, long pull) {}

                @Override
                public void node(String nodeId, String type, RepoName repo) {}
            };

    void repository(RepoName repo, long id);

    void pull(RepoName repo, long number, Optional<PullHead> head);

    /// A comment on a line, and the pull request that it is of.
    void comment(RepoName repo, long comment, long pull);

    /// An id and what it stands for.
    ///
    /// @param type as the query language names it: `Repository`, `PullRequest`, `Issue`,
    ///   `IssueComment`
    void node(String nodeId, String type, RepoName repo);
}

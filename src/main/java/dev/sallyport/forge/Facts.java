package dev.sallyport.forge;

import dev.sallyport.policy.RepoName;
import java.util.Optional;
import java.util.OptionalLong;

/// What the door knows for one session, from answers of upstream that this session got and from
/// questions of its own. Bounded, and forgotten after a while; says nothing about what is not
/// granted.
public interface Facts {
    /// Who this session is to the API.
    String login();

    /// The granted repository with this id, as far as it is known.
    Optional<RepoName> repository(long id);

    /// The id of a granted repository, as far as it is known.
    default OptionalLong id(RepoName repo) {
        return OptionalLong.empty();
    }

    /// What this number stands for, as far as it is known.
    Optional<Numbered> number(RepoName repo, long number);

    /// The pull request that this comment on a line is of, as far as it is known; 0 if it is of
    /// none.
    Optional<Long> commented(RepoName repo, long comment);
}

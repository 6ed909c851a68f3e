package dev.sallyport.forge;

import dev.sallyport.policy.RepoName;
import java.util.Optional;

/// What the door knows for one session, from answers of upstream that this session got and from
/// questions of its own. Bounded, and forgotten after a while; says nothing about what is not
/// granted.
public interface Facts {
    /// Who this session is to the API.
    String login();

    /// The granted repository with this id, as far as it is known.
    Optional<RepoName> repository(long id);

    /// What this number stands for, as far as it is known.
    Optional<Numbered> number(RepoName repo, long number);
}

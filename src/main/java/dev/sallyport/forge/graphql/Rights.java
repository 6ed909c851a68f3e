package dev.sallyport.forge.graphql;

import dev.sallyport.policy.ApiOperation;
import java.util.Optional;

/// What the judge asks about one session at one host. The door answers from what it knows already:
/// nothing here waits.
public interface Rights {
    /// What `viewer { login }` answers.
    String login();

    /// The repository of this name in the spelling of the grant, if the session has its API. Names
    /// are compared without case.
    Optional<RepositoryView> repository(String owner, String name);

    /// Whether the session may do this there, as things stand now.
    boolean allows(RepositoryView repository, ApiOperation operation);

    /// Where a node id lies, if this session has learned it. Empty means that it must be asked.
    Optional<Placed> place(String nodeId);

    /// What speaks against a change: branches, texts and reviewers are judged by one rule of the
    /// door's, whichever way the change arrives.
    Optional<Verdict.Denied> objection(Change change);
}

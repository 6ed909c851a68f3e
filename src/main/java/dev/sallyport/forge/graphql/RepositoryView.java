package dev.sallyport.forge.graphql;

import dev.sallyport.policy.RepoName;
import java.util.OptionalLong;

/// A granted repository.
///
/// @param name in the spelling of the grant, which is the one that goes upstream
/// @param databaseId the number that stays when the name goes to another repository, once known
public record RepositoryView(RepoName name, OptionalLong databaseId) {
    /// As `owner/name`, the way GitHub writes it.
    public String nameWithOwner() {
        return name.owner() + "/" + name.name();
    }

    /// Whether upstream speaks of this repository: same name, and same number if it is known (G23:
    /// a name can be taken over by somebody else after a rename).
    boolean is(String otherNameWithOwner, long otherDatabaseId) {
        return nameWithOwner().equalsIgnoreCase(otherNameWithOwner)
                && (databaseId.isEmpty() || databaseId.getAsLong() == otherDatabaseId);
    }
}
